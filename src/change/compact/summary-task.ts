import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { StoredMessage } from '#session/entry.js';
import { toFileLists } from './file-ops.js';
import type { Preparation } from './prepare.js';
import type { CompactionSettings } from './settings.js';
import type { SummaryTask } from './summarizers/define.js';

/** The largest share of the reserved tokens for a summary, as in older versions of Pi. */
const SHARE_OF_RESERVE = 0.8;

export function summaryTask(
  preparation: Preparation,
  { reserveTokens }: Pick<CompactionSettings, 'reserveTokens'>,
  instructions?: string,
): SummaryTask {
  return {
    messages: toSentMessages(preparation.messagesToSummarize),
    turnPrefix: toSentMessages(preparation.turnPrefixMessages),
    isWritten: buildWrittenTest([...preparation.messagesToSummarize, ...preparation.turnPrefixMessages]),
    previousSummary: preparation.previousSummary,
    instructions: instructions ?? null,
    files: toFileLists(preparation.fileOps),
    maxTokens: Math.floor(reserveTokens * SHARE_OF_RESERVE),
  };
}

/** Tells the messages of the user from those that extensions and hooks send in the same role. */
function buildWrittenTest(messages: readonly StoredMessage[]): (message: LlmMessage) => boolean {
  // A message of the user is sent as it is stored; of any other, another one is made.
  const written = new Set<unknown>(messages.filter(({ role }) => role === 'user'));
  return (message) => written.has(message);
}

function toSentMessages(messages: readonly StoredMessage[]): readonly LlmMessage[] {
  return messages.flatMap((message) => toLlmMessage(message) ?? []);
}
