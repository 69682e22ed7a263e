import { defineEngine } from '../define.js';

export default defineEngine({
  name: 'none',
  summary: 'Send the whole conversation',
  help: `Omits nothing and never compacts. Once the session exceeds the context window, so do its requests.`,
  create: ({ count }) => ({
    info: { id: 'none', name: 'Everything', ownsCompaction: true },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: count(messages) }),
    compact: () => Promise.resolve({ ok: true, compacted: false, reason: 'this engine never compacts' }),
  }),
});
