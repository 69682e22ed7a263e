import { asString, isObject, type JsonObject } from '#base/json.js';
import { readFirstSampling, readRecordedTokens, readUsageNumbers } from '#context/size/recorded-usage.js';
import type { Calibration } from './document.js';
import { findQuantile, sortAscending } from './quantiles.js';

/** One request: a provider's count of its prompt, and the estimate. */
export interface Sample {
  readonly recorded: number;
  readonly estimated: number;
}

/** null if no request can be compared. */
export function buildCalibration(samples: readonly Sample[]): Calibration | null {
  const usable = samples.filter(({ recorded, estimated }) => recorded > 0 && estimated > 0);
  const ratios = sortAscending(usable.map(({ recorded, estimated }) => recorded / estimated));
  const errors = sortAscending(usable.map(({ recorded, estimated }) => Math.abs(estimated - recorded) / recorded));
  const median = findQuantile(ratios, 0.5);
  const p10 = findQuantile(ratios, 0.1);
  const p90 = findQuantile(ratios, 0.9);
  const medianError = findQuantile(errors, 0.5);
  if (median === null || p10 === null || p90 === null || medianError === null) return null;
  return { requests: usable.length, recordedPerEstimated: { median, p10, p90 }, medianError };
}

/**
 * The prompt tokens that a provider counted for the request of an assistant message; null if they are not trustworthy.
 */
export function readRecordedPrompt(message: JsonObject): number | null {
  if (readRecordedTokens(message) === null || !isObject(message.usage)) return null;
  const { input, cacheRead, cacheWrite } = readUsageNumbers(readFirstSampling(message.usage));
  const prompt = input + cacheRead + cacheWrite;
  return prompt > 0 ? prompt : null;
}

/** Whether a message comes from a model of the Claude family, of any provider. */
export function isClaudeAnswer({ provider, model }: JsonObject): boolean {
  return provider === 'anthropic' || /claude/i.test(asString(model) ?? '');
}

/**
 * The number of Claude tokens per counted one. If prompt and tools are not recorded, their size is unknown but
 * constant, so only the growth of prompts is compared. null if nothing can be compared.
 */
export function measureCalibrationFactor(samples: readonly Sample[], isPreambleRecorded: boolean): number | null {
  if (isPreambleRecorded) return buildCalibration(samples)?.recordedPerEstimated.median ?? null;
  let recorded = 0;
  let estimated = 0;
  for (const [at, sample] of samples.entries()) {
    const before = samples[at - 1];
    if (!before || sample.estimated <= before.estimated || sample.recorded <= before.recorded) continue;
    recorded += sample.recorded - before.recorded;
    estimated += sample.estimated - before.estimated;
  }
  return estimated > 0 ? recorded / estimated : null;
}
