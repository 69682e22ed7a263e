import { NOISE_TOKENS } from '#analysis/cache/options.js';
import { findQuantile, sortAscending } from '#analysis/stats/quantiles.js';
import { sumBy } from '#base/lists.js';
import type { SimulatedRequest, Validation } from './document.js';
import { sumKnown } from './sums.js';

export function compareRequests(requests: readonly SimulatedRequest[]): ComparedSession {
  const errors: number[] = [];
  let all = 0;
  let recorded = 0;
  let off = 0;
  let reportsCache = false;
  let costs: ComparedSession['costs'] = null;
  for (const [at, request] of requests.entries()) {
    const { promptTokensRecorded: prompt, cacheReadRecorded: read, cacheReadPredicted: expected } = request;
    costs = addCosts(costs, request);
    if (read !== null && read > 0) reportsCache = true;
    // The content of a cache before the first request is unknown.
    if (at === 0 || prompt === null || read === null) continue;
    all += expected;
    recorded += read;
    errors.push(Math.abs(expected - read) / prompt);
    if (Math.abs(expected - read) > NOISE_TOKENS) off += 1;
  }
  return { errors, predicted: all, recorded, off, reportsCache, costs };
}

/** Adds the costs of a request, if both are known. */
function addCosts(
  costs: ComparedSession['costs'],
  { costPredicted, costRecorded }: SimulatedRequest,
): ComparedSession['costs'] {
  if (costPredicted === null || costRecorded === null) return costs;
  return { predicted: (costs?.predicted ?? 0) + costPredicted, recorded: (costs?.recorded ?? 0) + costRecorded };
}

export function summarizeComparisons(all: readonly ComparedSession[]): Validation {
  const sorted = sortAscending(all.flatMap(({ errors }) => errors));
  return {
    requests: sorted.length,
    reportsCache: all.some(({ reportsCache }) => reportsCache),
    predictedCachedTokens: sumBy(all, ({ predicted }) => predicted),
    recordedCachedTokens: sumBy(all, ({ recorded }) => recorded),
    medianError: findQuantile(sorted, 0.5),
    p90Error: findQuantile(sorted, 0.9),
    off: sumBy(all, ({ off }) => off),
    predictedCost: sumKnown(all.map(({ costs }) => costs && costs.predicted)),
    recordedCost: sumKnown(all.map(({ costs }) => costs && costs.recorded)),
  };
}

/** The simulation of the recorded run of a session beside the recorded figures. */
export interface ComparedSession {
  /** The errors of single requests, as shares of their prompts. */
  readonly errors: readonly number[];
  readonly predicted: number;
  readonly recorded: number;
  /** Requests that are off by more than what counts as a miss. */
  readonly off: number;
  readonly reportsCache: boolean;
  /** Dollars for the requests with both values known; null if there are none. */
  readonly costs: { readonly predicted: number; readonly recorded: number } | null;
}
