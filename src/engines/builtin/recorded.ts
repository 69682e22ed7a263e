import type { AgentMessage } from '../contract.js';
import { defineEngine } from '../define.js';

export const recorded = defineEngine({
  name: 'recorded',
  summary: 'Send the recorded requests, as a baseline for the other engines',
  help: `Returns the recorded envelope of each request: with the compactions, edits and transforms of the session, and the
messages that were logged for that request only. Other engines are measured against it.`,
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

export const none = defineEngine({
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
