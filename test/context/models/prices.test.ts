import { describe, expect, it } from 'vitest';
import { findListedRates, priceListed, readPrices } from '#context/models/prices.js';

const TIERED = readPrices('2/10/0.2/2.5,1000:4/20/0.4/5,5000:8/40/0.8/10');
const NO_CACHE = readPrices('1/2/0/0');
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
if (!TIERED || !NO_CACHE) throw new Error('no prices');

describe('listed prices', () => {
  it.each([
    [1000, 2],
    [1001, 4],
    [5000, 4],
    [5001, 8],
  ])('of a prompt of %i tokens are those of its tier', (input, price) => {
    expect(priceListed(TIERED, { ...NOTHING, input })).toBeCloseTo((input * price) / 1e6, 12);
    expect(findListedRates(TIERED, input, { input, cacheWrite: 0 }).paid).toBe(price / 1e6);
  });

  it('count what is read from the cache for the tier', () => {
    expect(priceListed(TIERED, { ...NOTHING, input: 1, output: 10, cacheRead: 1000 })).toBeCloseTo(
      (4 + 20 * 10 + 0.4 * 1000) / 1e6,
      12,
    );
  });

  it('charge twice the input for what is kept for an hour, of what is written at most', () => {
    const written = { ...NOTHING, cacheWrite: 100 };
    expect(priceListed(TIERED, { ...written, cacheWrite1h: 40 })).toBeCloseTo((60 * 2.5 + 40 * 4) / 1e6, 12);
    expect(priceListed(TIERED, { ...written, cacheWrite1h: 500 })).toBeCloseTo((100 * 4) / 1e6, 12);
  });

  it('mix input and what is written as the request has them', () => {
    expect(findListedRates(TIERED, 10, { input: 300, cacheWrite: 100 }).paid).toBeCloseTo((2 * 3 + 2.5) / 4 / 1e6, 12);
    const hour = { input: 300, cacheWrite: 100, cacheWrite1h: 100 };
    expect(findListedRates(TIERED, 10, hour).paid).toBeCloseTo((2 * 3 + 4) / 4 / 1e6, 12);
  });

  it('are unknown where the list has none for tokens that are there', () => {
    expect(readPrices('-')).toBe(null);
    expect(priceListed(NO_CACHE, { ...NOTHING, input: 10 })).toBe(1e-5);
    expect(priceListed(NO_CACHE, { ...NOTHING, input: 10, cacheRead: 1 })).toBe(null);
    expect(priceListed(NO_CACHE, { ...NOTHING, input: 10, cacheWrite: 1 })).toBe(null);
    expect(findListedRates(NO_CACHE, 10, { input: 1, cacheWrite: 1 })).toMatchObject({ paid: null, read: null });
  });
});
