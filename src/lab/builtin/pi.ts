import { summaryTask } from '#change/compact/summary-task.js';
import type { AgentMessage, Compacted, CompactParams, CompactResult } from '../contract.js';
import { defineBuiltinEngine, type EngineSetup } from '../define.js';
import { countTextTokens } from '../injectors/canonical-tools.js';

export default defineBuiltinEngine({
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
  const { force, tokenBudget, currentTokenCount = 0 } = params;
  const threshold = tokenBudget === undefined ? 0 : tokenBudget - setup.settings.reserveTokens;
  if (!force && currentTokenCount <= threshold) return { ok: true, compacted: false, reason: 'below the threshold' };
  const result = planPiCompaction(setup, params);
  if (result === null) return { ok: true, compacted: false, reason: 'there is nothing to compact' };
  return { ok: true, compacted: true, result };
}

/**
 * The compaction that Pi would do now, with a summary as long as Pi's may be; null: there is nothing to compact, or nothing
 * that stays has an id. Its sizes are those of the host: Pi's own count relies on the usages of the recording, which
 * belong to another context where that was compacted elsewhere.
 */
export function planPiCompaction(
  setup: EngineSetup,
  { currentTokenCount, customInstructions }: Partial<CompactParams> = {},
): Compacted | null {
  const prepared = setup.prepare();
  if (prepared === null || prepared.firstKeptEntryId === null) return null;
  const { firstKeptEntryId } = prepared;
  const task = summaryTask(prepared, setup.settings, customInstructions);
  const summary = setup.summarize(task);
  const said = setup.transcript();
  const from = said.findIndex(({ entryId }) => entryId === firstKeptEntryId);
  const tokensOf = (entries: typeof said): number => setup.count(entries.flatMap(({ message }) => message ?? []));
  const before = tokensOf(said);
  const tokensBefore = currentTokenCount ?? before;
  const share = (tokensOf(said.slice(from)) + countTextTokens(summary)) / Math.max(1, before);
  return {
    summary,
    firstKeptEntryId,
    tokensBefore,
    tokensAfter: Math.round(tokensBefore * share),
    details: { readFiles: task.files.read, modifiedFiles: task.files.modified },
  };
}

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

export const noneDefinition = defineBuiltinEngine({
  name: 'none',
  summary: 'Send the whole conversation',
  create: ({ count }) => ({
    info: { id: 'none', name: 'Everything', ownsCompaction: true },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: count(messages) }),
    compact: () => Promise.resolve({ ok: true, compacted: false, reason: 'this engine never compacts' }),
  }),
});
