import type { CacheRequest } from './document.js';
import type { PromptUsage } from './recorded.js';

/** Adds the costs of breaks and misses to requests, at the rates that the session itself records. */
export function withCosts(requests: readonly CacheRequest[], rated: readonly RatedRequest[]): readonly CacheRequest[] {
  const ratesAt = ratesAlong(rated);
  return requests.map((request) => {
    const { break: broken, piMiss, model, request: number } = request;
    if (broken === null && piMiss === null) return request;
    const extra = extraOf(ratesAt({ model, number }));
    const costOf = (tokens: number | null): number | null =>
      tokens === null || extra === null ? null : tokens * extra;
    return {
      ...request,
      piMiss: piMiss && { ...piMiss, cost: costOf(piMiss.tokens) },
      break: broken && { ...broken, rebilledCost: costOf(broken.rebilledTokens) },
    };
  });
}

/** The difference in dollars between an uncached and a cached token. */
function extraOf({ paid, read }: RatesAt): number | null {
  // A free request has no extra cost, whatever a cache read would have cost.
  if (paid === 0) return 0;
  return paid === null || read === null ? null : Math.max(0, paid - read);
}

/** A request whose usage contains the rates of its model. */
export interface RatedRequest {
  readonly model: string;
  /** Counted from 1 along the path. */
  readonly number: number;
  readonly usage: Pick<PromptUsage, 'paidRate' | 'readRate'> | null;
}

/** Dollars per uncached token, and per cached one; null if no request of the model records them. */
export interface RatesAt {
  readonly paid: number | null;
  readonly read: number | null;
}

/** The recorded rates of each request, else those of the nearest request of the same model. */
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

/** The rate of a request, else of the nearest one with a rate; null if none has. `rates`: in the order of the requests. */
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
