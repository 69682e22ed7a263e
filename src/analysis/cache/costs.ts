import type { CacheRequest } from './request.js';

/** The requests with what their breaks and misses have cost, at the rates that the session itself records. */
export function withCosts(requests: readonly CacheRequest[]): readonly CacheRequest[] {
  const ratesAt = ratesAlong(requests);
  return requests.map((request) => {
    const { broken, piMiss } = request;
    if (broken === null && piMiss === null) return request;
    const { paid, read } = ratesAt(request);
    // What costs nothing to be read anew has cost nothing more, whatever a cache would have taken.
    const extra = paid === 0 ? 0 : paid === null || read === null ? null : Math.max(0, paid - read);
    const cost = broken?.rebilled.isRecorded && extra !== null ? broken.rebilled.tokens * extra : null;
    return {
      ...request,
      piMissCost: piMiss === null || extra === null ? null : piMiss * extra,
      broken: broken && { ...broken, rebilled: { ...broken.rebilled, cost } },
    };
  });
}

/** A request by what its rates are found. */
export type RatedRequest = Pick<CacheRequest, 'model' | 'number' | 'usage'>;

/** Dollars for a token that is not read from the cache, and for one that is; null where no request of the model tells. */
export interface RatesAt {
  readonly paid: number | null;
  readonly read: number | null;
}

/** The rates of each request as the session records them, else those of the nearest request of the same model. */
export function ratesAlong(
  requests: readonly RatedRequest[],
): (request: Pick<RatedRequest, 'model' | 'number'>) => RatesAt {
  const [paid, read] = [ratesOf(requests, 'paidRate'), ratesOf(requests, 'readRate')];
  return ({ model, number }) => ({
    paid: nearestRate(paid.get(model), number),
    read: nearestRate(read.get(model), number),
  });
}

interface Rate {
  readonly number: number;
  readonly rate: number;
}

/** By model, in the order of the requests. */
function ratesOf(
  requests: readonly RatedRequest[],
  which: 'paidRate' | 'readRate',
): ReadonlyMap<string, readonly Rate[]> {
  const rates = new Map<string, Rate[]>();
  for (const { model, number, usage } of requests) {
    const rate = usage?.[which] ?? null;
    if (rate === null) continue;
    const known = rates.get(model);
    if (known) known.push({ number, rate });
    else rates.set(model, [{ number, rate }]);
  }
  return rates;
}

/** The rate of a request, else of the nearest one that has any; null: none has. `rates`: in the order of the requests. */
export function nearestRate(rates: readonly Rate[] | undefined, number: number): number | null {
  if (!rates) return null;
  let [low, high] = [0, rates.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((rates[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  const [above, below] = [rates[low], rates[low - 1]];
  if (!above) return null;
  const isBelowNearer = below && number - below.number < above.number - number;
  return isBelowNearer ? below.rate : above.rate;
}
