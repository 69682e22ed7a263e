import { defineBuiltinEngine } from '../define.js';

export const noneDefinition = defineBuiltinEngine({
  name: 'none',
  summary: 'Send the whole conversation',
  create: (setup) => ({
    info: { id: 'none', name: 'Everything', ownsCompaction: true },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: setup.count(messages) }),
    compact: () => Promise.resolve({ ok: true, compacted: false, reason: 'this engine never compacts' }),
  }),
});
