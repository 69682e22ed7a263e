import type { CacheRequest } from './request.js';

/** The requests with what their breaks and misses have cost, at the rates that the session itself records. */
export function withCosts(requests: readonly CacheRequest[]): readonly CacheRequest[] {
  const rates = { paid: ratesOf(requests, 'paidRate'), read: ratesOf(requests, 'readRate') };
  return requests.map((request) => {
    const { broken, piMiss } = request;
    if (broken === null && piMiss === null) return request;
    const paid = nearest(rates.paid.get(request.model), request.number);
    const read = nearest(rates.read.get(request.model), request.number);
    // What costs nothing to be read anew has cost nothing more, whatever a cache would have taken.
    const extra = paid === 0 ? 0 : paid === null || read === null ? null : Math.max(0, paid - read);
    const rebilled = broken?.rebilled;
    const costs = broken && rebilled?.isRecorded && extra !== null ? rebilled.tokens * extra : null;
    return {
      ...request,
      piMissCost: piMiss === null || extra === null ? null : piMiss * extra,
      broken: broken && rebilled ? { ...broken, rebilled: { ...rebilled, cost: costs } } : null,
    };
  });
}

interface Rate {
  readonly number: number;
  readonly rate: number;
}

/** By model, in the order of the requests. */
function ratesOf(
  requests: readonly CacheRequest[],
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

/** The rate of a request, else of the nearest one that has any. */
function nearest(rates: readonly Rate[] | undefined, number: number): number | null {
  if (!rates || rates.length === 0) return null;
  let [low, high] = [0, rates.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((rates[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  const [above, below] = [rates[low], rates[low - 1]];
  if (!above) return below?.rate ?? null;
  const isBelowNearer = below && number - below.number < Math.abs(above.number - number);
  return isBelowNearer ? below.rate : above.rate;
}
