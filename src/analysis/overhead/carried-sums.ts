import type { PromptPrice } from './prompt-price.js';

/** The tokens and the dollars of a content, or of a part of it, in the requests that carried it. */
export interface CarriedSums {
  readonly tokens: number;
  readonly tokensCached: number;
  readonly requests: number;
  /** The requests with a price. */
  readonly requestsPriced: number;
  readonly costCached: number;
  readonly costUncached: number;
  readonly isCostListed: boolean;
}

export const NOTHING_CARRIED: CarriedSums = {
  tokens: 0,
  tokensCached: 0,
  requests: 0,
  requestsPriced: 0,
  costCached: 0,
  costUncached: 0,
  isCostListed: false,
};

/** The sums of one request. `cached`: the tokens among them that were read from the cache. */
export function priceCarried(tokens: number, cached: number, { rates }: PromptPrice): CarriedSums {
  const unpriced = { ...NOTHING_CARRIED, tokens, tokensCached: cached, requests: 1 };
  if (rates === null) return unpriced;
  return {
    ...unpriced,
    requestsPriced: 1,
    costCached: cached * rates.cached,
    costUncached: (tokens - cached) * rates.uncached,
    isCostListed: rates.isListed,
  };
}

export function addCarried(some: CarriedSums, others: CarriedSums): CarriedSums {
  return {
    tokens: some.tokens + others.tokens,
    tokensCached: some.tokensCached + others.tokensCached,
    requests: some.requests + others.requests,
    requestsPriced: some.requestsPriced + others.requestsPriced,
    costCached: some.costCached + others.costCached,
    costUncached: some.costUncached + others.costUncached,
    isCostListed: some.isCostListed || others.isCostListed,
  };
}
