import { summaryTask } from '#change/compact/summary-task.js';
import type { Compacted, CompactParams, CompactResult } from '../contract.js';
import { defineBuiltinEngine, type EngineSetup } from '../define.js';
import { countTextTokens } from '../injectors/text-budget.js';

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
  const conversation = setup.transcript();
  const from = conversation.findIndex(({ entryId }) => entryId === firstKeptEntryId);
  const tokensOf = (entries: typeof conversation): number =>
    setup.count(entries.flatMap(({ message }) => message ?? []));
  const before = tokensOf(conversation);
  const tokensBefore = currentTokenCount ?? before;
  const share = (tokensOf(conversation.slice(from)) + countTextTokens(summary)) / Math.max(1, before);
  return {
    summary,
    firstKeptEntryId,
    tokensBefore,
    tokensAfter: Math.round(tokensBefore * share),
    details: { readFiles: task.files.read, modifiedFiles: task.files.modified },
  };
}
