import { findFirstPast } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import { findPriceFactor } from '#context/models/modifiers.js';
import { findListedRates, type PriceList } from '#context/models/prices.js';
import type { CacheRequest } from './document.js';
import type { PromptUsage } from './recorded-answer.js';

/**
 * Adds the costs of breaks and misses to requests, at the rates that the session itself records; `rebilledCostListed`
 * replaces unknown rates by listed prices.
 */
export function addCosts(
  requests: readonly CacheRequest[],
  rated: readonly RatedRequest[],
  priceList: PriceList = () => null,
): readonly CacheRequest[] {
  const ratesAt = buildRateLookup(rated);
  return requests.map((request) => {
    const { break: broken, piMiss, model, request: number } = request;
    if (broken === null && piMiss === null) return request;
    const extra = measureExtra(ratesAt({ model, number }));
    const listed = extra ?? measureListedExtra(request, rated[number - 1]?.usage ?? {}, priceList);
    return {
      ...request,
      piMiss: piMiss && { ...piMiss, cost: multiplyCost(piMiss.tokens, extra) },
      break: broken && {
        ...broken,
        rebilledCost: multiplyCost(broken.rebilledTokens, extra),
        rebilledCostListed: multiplyCost(broken.rebilledTokens, listed),
      },
    };
  });
}

function multiplyCost(tokens: number | null, extra: number | null): number | null {
  return tokens === null || extra === null ? null : tokens * extra;
}

/** `usage`: the usage of the request. */
function measureListedExtra(
  { model, recorded }: CacheRequest,
  usage: Pick<PromptUsage, 'cacheWrite1h' | 'modifiers'>,
  priceList: PriceList,
): number | null {
  const prices = recorded && priceList(model);
  const factor = findPriceFactor(model, usage.modifiers ?? null);
  if (!prices || factor === null) return null;
  return measureExtra(findListedRates(prices, recorded.promptTokens, { ...usage, ...recorded }, factor));
}

/** The difference in dollars between an uncached and a cached token. */
function measureExtra({ paid, read }: NearestRates): number | null {
  // A free request has no extra cost, whatever a cache read would have cost.
  if (paid === 0) return 0;
  return paid === null || read === null ? null : Math.max(0, paid - read);
}

/** A request whose usage contains the rates of its model. */
export interface RatedRequest {
  readonly model: string;
  /** Counted from 1 along the path. */
  readonly number: number;
  readonly usage: Pick<PromptUsage, 'paidRate' | 'readRate' | 'cacheWrite1h' | 'modifiers'> | null;
}

/**
 * The recorded dollars per uncached token and per cached token of a request, or of the nearest request that has them;
 * null if none has.
 */
export interface NearestRates {
  readonly paid: number | null;
  readonly read: number | null;
}

/** The recorded rates of each request, else those of the nearest request of the same model. */
export function buildRateLookup(
  requests: readonly RatedRequest[],
): (request: Pick<RatedRequest, 'model' | 'number'>) => NearestRates {
  const paid = listRatesByModel(requests, ({ usage }) => usage?.paidRate ?? null);
  const read = listRatesByModel(requests, ({ usage }) => usage?.readRate ?? null);
  return ({ model, number }) => ({
    paid: findNearestRate(paid.get(model), number),
    read: findNearestRate(read.get(model), number),
  });
}

/** The rates of each model, in the order of its requests. */
export type RatesByModel = ReadonlyMap<string, readonly Rate[]>;

/** A recorded rate, and the number of its request. */
interface Rate {
  readonly number: number;
  readonly rate: number;
}

/** Lists the rates of requests by model. Requests without one are left out. */
export function listRatesByModel<Request extends Pick<RatedRequest, 'model' | 'number'>>(
  requests: readonly Request[],
  rateOf: (request: Request) => number | null,
): RatesByModel {
  const rates = new Map<string, Rate[]>();
  for (const request of requests) {
    const rate = rateOf(request);
    if (rate !== null) addTo(rates, request.model, { number: request.number, rate });
  }
  return rates;
}

/**
 * Finds the rate of a request, else that of the nearest request with a rate; null if none has. `rates`: in the order of
 * the requests.
 */
export function findNearestRate(rates: readonly Rate[] | undefined, number: number): number | null {
  if (!rates) return null;
  const at = findFirstPast(rates.length - 1, (place) => (rates[place]?.number ?? 0) >= number);
  const above = rates[at];
  const below = rates[at - 1];
  if (!above) return null;
  const isBelowNearer = below && number - below.number < above.number - number;
  return isBelowNearer ? below.rate : above.rate;
}
