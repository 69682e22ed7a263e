import type { PromptUsage } from '#analysis/cache/recorded-answer.js';
import { sumBy } from '#base/lists.js';
import type { SimulatedChange, Sums } from './document.js';
import { addSummariesCost, NO_SUMMARIES, type Prices, type RunSummaryCall, type SummariesCost } from './prices.js';
import type { RecordedExchange } from './recorded-exchanges.js';
import type { SplitRequest } from './split.js';

type RequestSums = Pick<SplitRequest, 'tokens' | 'cached' | 'rebilled' | 'cost' | 'outputCost'> & {
  readonly exchange: Pick<RecordedExchange, 'output'>;
};

/** Sums up requests, with the calls for summaries between them. */
export function sumRequests(requests: readonly RequestSums[], summaries: SummariesCost = NO_SUMMARIES): Sums {
  let peak = 0;
  let input = 0;
  let cached = 0;
  let rebilled = 0;
  let outputTokens = 0;
  let cost: number | null = 0;
  let outputCost: number | null = 0;
  for (const request of requests) {
    peak = Math.max(peak, request.tokens);
    input += request.tokens;
    cached += request.cached;
    rebilled += request.rebilled;
    outputTokens += request.exchange.output.tokens;
    cost = addKnown(cost, request.cost);
    outputCost = addKnown(outputCost, request.outputCost);
  }
  return {
    requests: requests.length,
    peakTokens: peak,
    meanTokens: requests.length === 0 ? 0 : Math.round(input / requests.length),
    inputTokens: input,
    cachedTokens: cached,
    billedTokens: input - cached,
    rebilledTokens: rebilled,
    cost,
    outputTokens,
    outputCost,
    summaries,
    totalCost: addKnown(addKnown(cost, outputCost), summaries.cost),
  };
}

/** null where one of them is not known. */
function addKnown(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

interface RecordedPrices {
  readonly prices: Pick<Prices, 'priceRequest' | 'priceOutput' | 'priceSummaries'>;
  /** The re-billed tokens of `ctx cache`. */
  readonly rebilledTokens: number;
}

/**
 * Sums of the recorded usage of providers; null where none is recorded. A cost that is not recorded is priced like an
 * engine's. A summary whose call is not recorded does not count.
 */
export function sumRecordedUsage(
  exchanges: readonly RecordedExchange[],
  summaries: readonly RunSummaryCall[],
  { prices, rebilledTokens }: RecordedPrices,
): Sums | null {
  const requests: RequestSums[] = [];
  let totalCost: number | null = 0;
  for (const each of exchanges) {
    const { usage } = each;
    if (usage === null) continue;
    const prompt = { paid: usage.promptTokens - usage.cacheRead, read: usage.cacheRead };
    const cost = findRecordedCost(usage) ?? prices.priceRequest(each, prompt);
    const outputCost = prices.priceOutput(each);
    requests.push({
      exchange: each,
      tokens: usage.promptTokens,
      cached: usage.cacheRead,
      rebilled: 0,
      cost,
      outputCost,
    });
    totalCost = addKnown(totalCost, each.billedCost ?? addKnown(cost, outputCost));
  }
  if (requests.length === 0) return null;
  const written = prices.priceSummaries(summaries.filter(({ isRecorded }) => isRecorded));
  return { ...sumRequests(requests, written), rebilledTokens, totalCost: addKnown(totalCost, written.cost) };
}

/** The cost of a request's prompt, in dollars; null where it is not recorded. */
export function findRecordedCost({ promptTokens, cacheRead, paidRate, readRate }: PromptUsage): number | null {
  const paid = promptTokens - cacheRead;
  const isKnown = (paid === 0 || paidRate !== null) && (cacheRead === 0 || readRate !== null);
  return isKnown ? paid * (paidRate ?? 0) + cacheRead * (readRate ?? 0) : null;
}

const SUMMED = ['requests', 'inputTokens', 'cachedTokens', 'billedTokens', 'rebilledTokens', 'outputTokens'] as const;

const COSTS = ['cost', 'outputCost', 'totalCost'] as const;

/** The sums of several sessions. Those that do not know what they cost do not count in the cost; null: none does. */
export function addSums(all: readonly Sums[]): Sums {
  const total = {
    ...sumRequests([]),
    summaries: all.map(({ summaries }) => summaries).reduce(addSummariesCost, NO_SUMMARIES),
  };
  for (const name of COSTS) total[name] = sumKnown(all.map((sums) => sums[name]));
  for (const sums of all) {
    for (const name of SUMMED) total[name] += sums[name];
    total.peakTokens = Math.max(total.peakTokens, sums.peakTokens);
  }
  total.meanTokens = total.requests === 0 ? 0 : Math.round(total.inputTokens / total.requests);
  return total;
}

/** The sum of what is known; null where nothing is. */
export function sumKnown(values: readonly (number | null)[]): number | null {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? null : sumBy(numbers, (value) => value);
}

export function compareSums(sums: Sums, from: Sums): SimulatedChange {
  return {
    peakTokens: sums.peakTokens - from.peakTokens,
    meanTokens: sums.meanTokens - from.meanTokens,
    inputTokens: sums.inputTokens - from.inputTokens,
    billedTokens: sums.billedTokens - from.billedTokens,
    rebilledTokens: sums.rebilledTokens - from.rebilledTokens,
    cost: subtractKnown(sums.cost, from.cost),
    totalCost: subtractKnown(sums.totalCost, from.totalCost),
  };
}

function subtractKnown(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}
