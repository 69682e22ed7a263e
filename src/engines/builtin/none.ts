import { defineEngine } from '../define.js';

export default defineEngine({
  name: 'none',
  summary: 'Send the whole conversation',
  help: `Leaves nothing out and never compacts: a request is too long once the session is.`,
  create: ({ count }) => ({
    info: { id: 'none', name: 'Everything', ownsCompaction: true },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: count(messages) }),
    compact: () => Promise.resolve({ ok: true, compacted: false, reason: 'this engine never compacts' }),
  }),
});
