import type { AgentMessage } from '../contract.js';
import { defineBuiltinEngine } from '../define.js';

export const recordedDefinition = defineBuiltinEngine({
  name: 'recorded',
  summary: 'Send the recorded requests, as a baseline for the other engines',
  create: (setup) => ({
    info: { id: 'recorded', name: 'As recorded', ownsCompaction: true },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble() {
      const { cached, uncached } = setup.recorded().messages;
      // Every message has a role.
      const messages: readonly AgentMessage[] = [...cached, ...uncached];
      return Promise.resolve({ messages, estimatedTokens: setup.count(messages) });
    },
    compact: () => Promise.resolve({ ok: true, compacted: false, reason: 'a recorded session is never compacted' }),
  }),
});
