import { NOISE_TOKENS } from '#analysis/cache/recorded.js';
import { ascending, quantile } from '#analysis/stats/calibration.js';
import type { Simulation, Validation } from './document.js';
import { costsOf } from './sums.js';

/** What the model says of the recorded run of a session, and what was recorded. */
export interface Compared {
  /** As shares of the prompts. */
  readonly errors: readonly number[];
  readonly predicted: number;
  readonly recorded: number;
  /** Requests that are off by more than what counts as a miss. */
  readonly off: number;
  readonly reportsCache: boolean;
  /** Of the requests of which both are known; null where there are none. */
  readonly costs: { readonly predicted: number; readonly recorded: number } | null;
}

/** Of the requests of one session. */
export function compared(requests: Simulation['requests']): Compared {
  const errors: number[] = [];
  let [all, recorded, off] = [0, 0, 0];
  let reportsCache = false;
  let costs: Compared['costs'] = null;
  for (const [at, request] of requests.entries()) {
    const { promptTokensRecorded: prompt, cacheReadRecorded: read, cacheReadPredicted: expected } = request;
    costs = withCosts(costs, request);
    if (read !== null && read > 0) reportsCache = true;
    // Nothing is known of what stands in a cache before the first request.
    if (at === 0 || prompt === null || read === null) continue;
    all += expected;
    recorded += read;
    errors.push(Math.abs(expected - read) / prompt);
    if (Math.abs(expected - read) > NOISE_TOKENS) off += 1;
  }
  return { errors, predicted: all, recorded, off, reportsCache, costs };
}

function withCosts(
  costs: Compared['costs'],
  { costPredicted, costRecorded }: Simulation['requests'][number],
): Compared['costs'] {
  if (costPredicted === null || costRecorded === null) return costs;
  return { predicted: (costs?.predicted ?? 0) + costPredicted, recorded: (costs?.recorded ?? 0) + costRecorded };
}

/** Of one session or many. */
export function validationOf(all: readonly Compared[]): Validation {
  const sorted = ascending(all.flatMap(({ errors }) => errors));
  const sum = (name: 'predicted' | 'recorded' | 'off'): number => all.reduce((total, each) => total + each[name], 0);
  return {
    requests: sorted.length,
    reportsCache: all.some(({ reportsCache }) => reportsCache),
    predictedCachedTokens: sum('predicted'),
    recordedCachedTokens: sum('recorded'),
    medianError: quantile(sorted, 0.5),
    p90Error: quantile(sorted, 0.9),
    off: sum('off'),
    predictedCost: costsOf(
      all.map(({ costs }) => ({ cost: costs && costs.predicted })),
      'cost',
    ),
    recordedCost: costsOf(
      all.map(({ costs }) => ({ cost: costs && costs.recorded })),
      'cost',
    ),
  };
}
