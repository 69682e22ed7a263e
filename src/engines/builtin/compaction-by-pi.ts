import { listsOf } from '#change/compact/file-ops.js';
import type { LlmMessage } from '#context/replay/content.js';
import { type AgentMessage, toLlm } from '#context/replay/convert.js';
import type { Compacted } from '../contract.js';
import type { EngineSetup } from '../define.js';

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

/** What Pi lets a summary take of what is reserved. */
const SHARE_OF_RESERVE = 0.8;
const CHARACTERS_PER_TOKEN = 4;

function asSent(messages: readonly AgentMessage[]): readonly LlmMessage[] {
  return messages.flatMap((message) => toLlm(message) ?? []);
}
