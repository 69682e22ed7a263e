import { asBefore, type Before, type PromptUsage, unreadTokens } from '../cache/recorded.js';
import type { Change, Sums } from './document.js';
import type { RequestFacts } from './request-facts.js';
import type { SplitRequest } from './split.js';

type Summed = Pick<SplitRequest, 'tokens' | 'cached' | 'rebilled' | 'cost'>;

/** What requests come to. */
export function sumsOf(requests: readonly Summed[]): Sums {
  let [peak, input, cached, rebilled] = [0, 0, 0, 0];
  let cost: number | null = 0;
  for (const request of requests) {
    peak = Math.max(peak, request.tokens);
    input += request.tokens;
    cached += request.cached;
    rebilled += request.rebilled;
    cost = cost === null || request.cost === null ? null : cost + request.cost;
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
  };
}

/** The same of what providers have recorded; null where they have recorded nothing. */
export function recordedSums(facts: readonly RequestFacts[]): Sums | null {
  const requests: Summed[] = [];
  let before: Before | null = null;
  for (const { usage } of facts) {
    if (usage === null) continue;
    const now = asBefore(usage, before);
    const rebilled = before && now.reportedCache ? unreadTokens(before, usage) : 0;
    requests.push({ tokens: usage.prompt, cached: usage.cacheRead, rebilled, cost: recordedCost(usage) });
    before = now;
  }
  return requests.length === 0 ? null : sumsOf(requests);
}

/** What the prompt of a request has cost, in dollars; null where that is not recorded. */
export function recordedCost({ prompt, cacheRead, paidRate, readRate }: PromptUsage): number | null {
  const paid = prompt - cacheRead;
  const isKnown = (paid === 0 || paidRate !== null) && (cacheRead === 0 || readRate !== null);
  return isKnown ? paid * (paidRate ?? 0) + cacheRead * (readRate ?? 0) : null;
}

const SUMMED = ['requests', 'inputTokens', 'cachedTokens', 'billedTokens', 'rebilledTokens'] as const;

/** The sums of several sessions. Those that do not know what they cost do not count in the cost; null: none does. */
export function addedUp(all: readonly Sums[]): Sums {
  const total = { ...sumsOf([]), cost: costsOf(all) };
  for (const sums of all) {
    for (const name of SUMMED) total[name] += sums[name];
    total.peakTokens = Math.max(total.peakTokens, sums.peakTokens);
  }
  total.meanTokens = total.requests === 0 ? 0 : Math.round(total.inputTokens / total.requests);
  return total;
}

/** The sum of what is known; null where nothing is. */
export function costsOf(all: readonly { readonly cost: number | null }[]): number | null {
  const known = all.flatMap(({ cost }) => cost ?? []);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}

export function changeOf(sums: Sums, from: Sums): Change {
  return {
    peakTokens: sums.peakTokens - from.peakTokens,
    meanTokens: sums.meanTokens - from.meanTokens,
    inputTokens: sums.inputTokens - from.inputTokens,
    billedTokens: sums.billedTokens - from.billedTokens,
    rebilledTokens: sums.rebilledTokens - from.rebilledTokens,
    cost: sums.cost === null || from.cost === null ? null : sums.cost - from.cost,
  };
}
