import { sumBy } from '#base/lists.js';
import type { Shrink, ShrinkSums, SimulatedEngine, Sums } from './document.js';
import { type EngineRun, listBrokenClauses, listBrokenRules } from './engine-run.js';
import type { RunSummaryCall } from './prices.js';
import { splitByCache, type SplitOptions, type SplitRequest } from './split.js';
import { compareSums, sumRequests } from './sums.js';

/** The figures of an engine over a session, with what others are compared by. */
export interface EngineResult {
  readonly result: SimulatedEngine;
  readonly split: readonly SplitRequest[];
  readonly summaries: readonly RunSummaryCall[];
}

/** `base`: the recorded run; null: this is it. */
export function buildEngineResult(
  name: string,
  run: EngineRun,
  how: SplitOptions,
  base: EngineResult | null,
): EngineResult {
  const split = splitByCache(run.requests, how).filter(({ exchange }) => !exchange.isUnbilled);
  const sums = sumRequests(split, how.prices.priceSummaries(run.summaries));
  const overflowed = split.filter(({ isOverflow }) => isOverflow).map(({ exchange }) => exchange.number);
  const { failure, lost, lostTexts, rereads, unsendable } = run;
  return {
    split,
    summaries: run.summaries,
    result: {
      name,
      ...sums,
      compactions: sumShrinks(run.shrinks, 'compaction'),
      prunes: sumShrinks(run.shrinks, 'prune'),
      lost,
      lostTexts,
      reread: {
        calls: rereads.length,
        tokensEstimated: sumBy(rereads, ({ tokensEstimated }) => tokensEstimated),
      },
      retries: run.retries,
      overflows: overflowed.length,
      unsendable: unsendable.length,
      refused: listBrokenRules(unsendable),
      breaches: listBrokenClauses(run.breaches),
      // An engine that has given up is compared over the requests before that.
      change: compareSums(sums, base ? sumFirst(base, split.length, how) : sums),
      series: buildSeries(split),
      overflowed,
      shrinks: [...run.shrinks],
      rereads,
      failure: failure && failure.failure,
    },
  };
}

/** The sums over the first requests of a run. */
function sumFirst({ split, summaries, result }: EngineResult, count: number, { prices }: SplitOptions): Sums {
  if (count >= split.length) return result;
  const last = split[count - 1]?.exchange.number ?? 0;
  const before = summaries.filter(({ request }) => request !== null && request <= last);
  return sumRequests(split.slice(0, count), prices.priceSummaries(before));
}

function buildSeries(requests: readonly SplitRequest[]): SimulatedEngine['series'] {
  return {
    tokens: requests.map(({ tokens }) => tokens),
    cachedTokens: requests.map(({ cached }) => cached),
    rebilledTokens: requests.map(({ rebilled }) => rebilled),
    costs: requests.map(({ cost }) => cost),
  };
}

function sumShrinks(shrinks: readonly Shrink[], kind: Shrink['kind']): ShrinkSums {
  const counted = shrinks.filter((shrink) => shrink.kind === kind);
  let tokensBefore = 0;
  let tokensAfter = 0;
  for (const { tokensBefore: before, tokensAfter: after } of counted) {
    if (before === null || after === null) continue;
    tokensBefore += before;
    tokensAfter += after;
  }
  return { count: counted.length, tokensBefore, tokensAfter };
}
