import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { transformerName } from '#context/replay/selection.js';
import { tokensOfMessage, tokensOfValue, usageNumbers } from '#context/replay/tokens.js';

/** A call of a model that a summary takes. Tokens are estimated, where the session does not record the call. */
export interface SummaryCall {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Dollars that the session records; null: it does not. */
  readonly cost: number | null;
  /** The tokens are those that the provider counted. */
  readonly isRecorded: boolean;
}

/** The call that writes this summary of some tokens. */
export function summaryCall(inputTokens: number, summary: string): SummaryCall {
  return { inputTokens: Math.max(0, inputTokens), outputTokens: tokensOfValue(summary), cost: null, isRecorded: false };
}

/** The call that does a task. */
export function callOfTask({ messages, turnPrefix, previousSummary }: SummaryTask, summary: string): SummaryCall {
  const said = [...messages, ...turnPrefix].reduce((sum, message) => sum + tokensOfMessage(message), 0);
  return summaryCall(said + tokensOfValue(previousSummary ?? ''), summary);
}

/** The summary that an entry holds; null: it is no compaction. */
export function recordedSummary(entry: JsonObject): string | null {
  if (entry['type'] === 'compaction') return asString(entry['summary']);
  if (entry['type'] !== 'context_transform' || transformerName(entry) !== 'compaction') return null;
  return asString(objectsIn(entry['patch']).find(({ op }) => op === 'compaction_apply')?.['summary']);
}

/** The call that wrote a recorded summary: as it was billed, or an estimate by how many tokens it took away. */
export function recordedCall(entry: JsonObject, summary: string, taken: number): SummaryCall {
  const { usage } = entry;
  if (!isObject(usage)) return summaryCall(taken + tokensOfValue(summary), summary);
  const { input, cacheRead, cacheWrite, output, cost } = usageNumbers(usage);
  return { inputTokens: input + cacheRead + cacheWrite, outputTokens: output, cost, isRecorded: true };
}
