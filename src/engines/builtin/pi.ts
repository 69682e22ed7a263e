import { summaryTask } from '#change/compact/prepare.js';
import type { AgentMessage, Compacted, CompactParams, CompactResult } from '../contract.js';
import { defineEngine, type EngineSetup } from '../define.js';
import { tokensIn } from '../injectors/canonical-tools.js';

export default defineEngine({
  name: 'pi',
  summary: 'Work like Pi: let the context grow, and compact it at the threshold',
  create: (setup) => ({
    info: { id: 'pi', name: 'Like Pi', ownsCompaction: false },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: setup.count(messages) }),
    compact: (params) => Promise.resolve(compact(setup, params)),
  }),
});

function compact(setup: EngineSetup, params: CompactParams): CompactResult {
  const { force, tokenBudget, currentTokenCount = 0, customInstructions } = params;
  const threshold = tokenBudget === undefined ? 0 : tokenBudget - setup.settings.reserveTokens;
  if (!force && currentTokenCount <= threshold) return { ok: true, compacted: false, reason: 'below the threshold' };
  const result = compactionByPi(setup, customInstructions);
  if (result === null) return { ok: true, compacted: false, reason: 'there is nothing to compact' };
  return { ok: true, compacted: true, result };
}

/**
 * The compaction that Pi would do now, with a summary as long as Pi's may be; null: there is nothing to compact, or nothing
 * that stays has an id.
 */
export function compactionByPi(setup: EngineSetup, instructions?: string): Compacted | null {
  const prepared = setup.prepare();
  if (prepared === null || prepared.firstKeptEntryId === null) return null;
  const task = summaryTask(prepared, setup.settings, instructions);
  const summary = setup.summarize(task);
  return {
    summary,
    firstKeptEntryId: prepared.firstKeptEntryId,
    tokensBefore: prepared.tokensBefore,
    tokensAfter: prepared.keptTokens + tokensIn(summary),
    details: { readFiles: task.files.read, modifiedFiles: task.files.modified },
  };
}

export const recorded = defineEngine({
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

export const none = defineEngine({
  name: 'none',
  summary: 'Send the whole conversation',
  create: ({ count }) => ({
    info: { id: 'none', name: 'Everything', ownsCompaction: true },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: count(messages) }),
    compact: () => Promise.resolve({ ok: true, compacted: false, reason: 'this engine never compacts' }),
  }),
});
