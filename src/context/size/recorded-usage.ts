import { asCount, asObject, isObject, type JsonObject, listObjects } from '#base/json.js';
import { isAnswer } from '#session/heads/answer.js';
import { isFailedAnswer } from '../replay/convert.js';
import type { RecordedUsage } from '../replay/envelope.js';

/**
 * The tokens that a provider counted for an assistant message and its request, null if the message has
 * no usage that Pi would trust: failed, aborted, of no provider, or all zero.
 */
export function readRecordedTokens(message: JsonObject): RecordedUsage['tokens'] | null {
  const usage = message.usage;
  if (!isAnswer(message) || !isObject(usage) || isFailedAnswer(message)) return null;
  // A later sampling of an answer contains what came before it.
  const { total } = readUsageNumbers(listObjects(usage.samplings).at(-1) ?? usage);
  return total > 0 ? total : null;
}

/** Tokens as a provider counted them for one call, and its cost in dollars, if recorded. */
export interface UsageNumbers {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  readonly cost: number | null;
}

/**
 * The part of the tokens written to a cache that is kept for an hour, not for five minutes; null for a `usage` that
 * does not record it. oh-my-pi records both parts.
 */
export function readHourCacheWrite(usage: JsonObject): number | null {
  const { ephemeral1h, ephemeral5m } = asObject(usage.cttl);
  const ofParts = asCount(ephemeral1h) ?? (asCount(ephemeral5m) === null ? null : 0);
  const written = asCount(usage.cacheWrite1h) ?? ofParts;
  return written === null ? null : Math.min(written, asCount(usage.cacheWrite) ?? 0);
}

/** Whether the output in a `usage` was counted before the answer was complete. */
export function isOutputPartial(usage: JsonObject): boolean {
  return usage.partialOutput === true;
}

/**
 * Reads the counts of the prompt that was sent. If the provider ran tools during an answer, the answer took several
 * samplings. Its usage is then the sum of their prompts, each of which repeats the one before.
 */
export function readFirstSampling(usage: JsonObject): JsonObject {
  return listObjects(usage.samplings)[0] ?? usage;
}

/** Whether no count of the provider is recorded for the call of a `usage`, which follows from totals that are. */
export function isUsageDerived(usage: JsonObject): boolean {
  return usage.derived === true;
}

/** The numbers of a recorded `usage` of any call. Missing counts are 0. */
export function readUsageNumbers(usage: JsonObject): UsageNumbers {
  const input = asCount(usage.input) ?? 0;
  const output = asCount(usage.output) ?? 0;
  const cacheRead = asCount(usage.cacheRead) ?? 0;
  const cacheWrite = asCount(usage.cacheWrite) ?? 0;
  const total = asCount(usage.totalTokens) || input + output + cacheRead + cacheWrite;
  const cost = isObject(usage.cost) ? usage.cost.total : null;
  return { input, output, cacheRead, cacheWrite, total, cost: asCount(cost) };
}
