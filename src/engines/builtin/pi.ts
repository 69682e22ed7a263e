import { listsOf } from '#change/compact/file-ops.js';
import type { LlmMessage } from '#context/replay/content.js';
import { type AgentMessage, toLlm } from '#context/replay/convert.js';
import type { Compacted, CompactParams, CompactResult } from '../contract.js';
import { defineEngine, type EngineSetup } from '../define.js';

export default defineEngine({
  name: 'pi',
  summary: 'Work like Pi: let the context grow, and compact it at the threshold',
  help: `Sends everything until less room is left than Pi reserves, or until a request was too long. Then it cuts where Pi
cuts, keeps what Pi keeps, and replaces the rest with a summary. It uses the settings of Pi's settings files.`,
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
  const files = listsOf(prepared.fileOps);
  const summary = setup.summarize({
    messages: asSent(prepared.messagesToSummarize),
    turnPrefix: asSent(prepared.turnPrefixMessages),
    previousSummary: prepared.previousSummary,
    instructions: instructions ?? null,
    files,
    maxTokens: Math.floor(setup.settings.reserveTokens * SHARE_OF_RESERVE),
  });
  return {
    summary,
    firstKeptEntryId: prepared.firstKeptEntryId,
    tokensBefore: prepared.tokensBefore,
    tokensAfter: prepared.keptTokens + Math.ceil(summary.length / CHARACTERS_PER_TOKEN),
    details: { readFiles: files.read, modifiedFiles: files.modified },
  };
}

/** The share of the reserved tokens that Pi allows a summary. */
const SHARE_OF_RESERVE = 0.8;
const CHARACTERS_PER_TOKEN = 4;

function asSent(messages: readonly AgentMessage[]): readonly LlmMessage[] {
  return messages.flatMap((message) => toLlm(message) ?? []);
}
