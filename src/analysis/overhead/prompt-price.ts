import { asCount, type JsonObject } from '#base/json.js';
import type { PriceList } from '#context/models/prices.js';
import { readFirstSampling } from '#context/size/recorded-usage.js';
import type { Head } from '#session/heads/head.js';
import { splitCost } from '../stats/cost-parts.js';
import { measureListedCost } from '../stats/listed-cost.js';
import { listUsages } from '../stats/usage-records.js';

/** The price of the tokens of a prompt. */
export interface PromptPrice {
  /** The first tokens of the prompt, which were read from the cache. */
  readonly read: number;
  /** Dollars for each token; null for a call without a recorded cost and without listed prices. */
  readonly rates: { readonly cached: number; readonly uncached: number; readonly isListed: boolean } | null;
}

export const UNPRICED: PromptPrice = { read: 0, rates: null };

/** The price of the request that an entry answers. Its parts are those of `ctx stats`. */
export function priceOfPrompt(head: Head, entry: JsonObject, priceList: PriceList): PromptPrice {
  const record = listUsages(head, entry).find(({ source }) => source === 'requests');
  if (!record) return UNPRICED;
  const read = asCount(readFirstSampling(record.usage).cacheRead) ?? 0;
  const listed = measureListedCost(record, priceList);
  const { tokens, dollars } = splitCost(record, listed ?? 0, priceList);
  const written = (of: typeof tokens): number => of.cacheWrite + of.cacheWrite5m + of.cacheWrite1h + of.input;
  // A cost whose parts are unknown says nothing about the prompt.
  if (dollars.cacheRead + written(dollars) === 0) return { read, rates: null };
  return {
    read,
    rates: {
      cached: divideByTokens(dollars.cacheRead, tokens.cacheRead),
      uncached: divideByTokens(written(dollars), written(tokens)),
      isListed: listed !== null,
    },
  };
}

function divideByTokens(dollars: number, tokens: number): number {
  return tokens === 0 ? 0 : dollars / tokens;
}
