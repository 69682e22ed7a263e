import { asCount, asObject, isObject, type JsonObject } from '#base/json.js';
import { type PriceModifiers, readPriceModifiers } from '#context/models/modifiers.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { readTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { readFirstSampling, readHourCacheWrite } from '#context/size/recorded-usage.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { RecordedPrompt } from './document.js';

/** The provider's report of the prompt of one request, with its prices. */
export interface PromptUsage extends RecordedPrompt {
  /** The modifiers of the listed price of its tokens; absent for none. */
  readonly modifiers?: PriceModifiers;
  /** Dollars per uncached token; null if not recorded. */
  readonly paidRate: number | null;
  /** Dollars per cached token; null if not recorded. */
  readonly readRate: number | null;
}

/** The record of one answer: its model and its usage. */
export interface RecordedAnswer {
  readonly entryId: string | null;
  readonly target: RequestTarget;
  /** The model as `provider/id`. */
  readonly model: string;
  /** Milliseconds since 1970; NaN if unknown. */
  readonly time: number;
  readonly usage: PromptUsage | null;
  /** Whether it failed before anything was billed. */
  readonly isUnbilled: boolean;
}

export function readRecordedAnswer({ id, time }: Head, { message }: JsonObject): RecordedAnswer {
  const answer = asObject(message);
  const { timestamp } = answer;
  const target = readTarget(answer);
  const usage = readPromptUsage(isObject(answer.usage) ? answer.usage : null);
  return {
    entryId: formatId(id),
    target,
    model: `${target.provider ?? '?'}/${target.model ?? '?'}`,
    time: typeof timestamp === 'number' ? timestamp : time,
    usage,
    isUnbilled: usage === null && isFailedAnswer(answer),
  };
}

export function toRecordedTokens({ paidRate: _paid, readRate: _read, ...tokens }: PromptUsage): RecordedPrompt {
  return tokens;
}

/** null for a request without usage, or with an empty one. */
export function readPromptUsage(usage: JsonObject | null): PromptUsage | null {
  if (usage === null) return null;
  const prompt = readFirstSampling(usage);
  const input = toCount(prompt.input);
  const cacheRead = toCount(prompt.cacheRead);
  const cacheWrite = toCount(prompt.cacheWrite);
  const promptTokens = input + cacheRead + cacheWrite;
  if (promptTokens <= 0) return null;
  const cost = asObject(usage.cost);
  const paid = input + cacheWrite;
  const cacheWrite1h = readHourCacheWrite(prompt);
  const paidCost = sumDollars(cost.input, cost.cacheWrite);
  const readCost = sumDollars(cost.cacheRead);
  const modifiers = readPriceModifiers(usage);
  return {
    promptTokens,
    input,
    cacheRead,
    cacheWrite,
    ...(cacheWrite1h !== null && { cacheWrite1h }),
    ...(modifiers && { modifiers }),
    paidRate: paid > 0 && paidCost !== null ? paidCost / paid : null,
    readRate: cacheRead > 0 && readCost !== null ? readCost / cacheRead : null,
  };
}

function toCount(value: unknown): number {
  return asCount(value) ?? 0;
}

/** The sum; null if one of them is not recorded. */
function sumDollars(...costs: readonly unknown[]): number | null {
  let sum = 0;
  for (const cost of costs) {
    const one = asCount(cost);
    if (one === null) return null;
    sum += one;
  }
  return sum;
}
