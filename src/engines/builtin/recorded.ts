import type { AgentMessage } from '../contract.js';
import { defineEngine } from '../define.js';

export default defineEngine({
  name: 'recorded',
  summary: 'Show the model what it was shown when the session was recorded',
  help: `Gives back the recorded envelope of each request: with the compactions, edits and transforms that the session records,
and the messages that were logged for that request alone. What other engines do is measured against it.`,
  create: ({ recorded, count }) => ({
    info: { id: 'recorded', name: 'As recorded', ownsCompaction: true },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble() {
      const { cached, uncached } = recorded().messages;
      // Every message has a role.
      const messages: readonly AgentMessage[] = [...cached, ...uncached];
      return Promise.resolve({ messages, estimatedTokens: count(messages) });
    },
    compact: () => Promise.resolve({ ok: true, compacted: false, reason: 'what is recorded is not changed' }),
  }),
});
