import { describe, expect, it } from 'vitest';
import { DEFAULT_CACHE_OPTIONS } from '#analysis/cache/options.js';
import { type CacheReport, reportCache } from '#analysis/cache/report-cache.js';
import type { PriceList } from '#context/models/prices.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';

type Json = Readonly<Record<string, unknown>>;

/** A usage at a price in dollars for a token that is written; one that is read costs a tenth. */
function usage(cacheRead: number, cacheWrite: number, price: number | null): Json {
  const cost =
    price === null
      ? null
      : { input: 0, output: 0, cacheRead: (cacheRead * price) / 10, cacheWrite: cacheWrite * price };
  return { usage: { input: 0, output: 1, cacheRead, cacheWrite, totalTokens: cacheRead + cacheWrite + 1, cost } };
}

async function reportOf(log: Log, priceList?: PriceList): Promise<CacheReport> {
  const session = await log.open();
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  return reportCache({ session, path, baseline: {} }, DEFAULT_CACHE_OPTIONS, priceList);
}

async function costOfMiss(log: Log): Promise<number | null | undefined> {
  const { requests } = await reportOf(log);
  return requests.find(({ break: broken }) => broken)?.break?.rebilledCost;
}

const first = (): Log =>
  new Log('costs').assistant('a1', '', usage(0, 5000, 1)).assistant('a2', '', usage(5000, 5000, 1));

describe('what a miss has cost', () => {
  it('is what was paid for its tokens, less what reading them would have cost', async () => {
    expect(await costOfMiss(first().assistant('a3', '', usage(2000, 9000, 1)))).toBeCloseTo(8000 * 0.9);
  });

  it('takes the rate for reading from the nearest request of the same model', async () => {
    const later = first()
      .assistant('a3', '', usage(0, 11_000, 2))
      .assistant('a4', '', usage(11_000, 10, 2));
    // Both neighbours are as near; the later one had the price of this one.
    expect([10_000 * 1.9, 10_000 * 1.8]).toContainEqual(await costOfMiss(later));
    const other = { provider: 'openai', model: 'gpt' };
    const switched = first().assistant('a3', '', { ...other, ...usage(0, 11_000, 2) });
    expect(await costOfMiss(switched)).toBeNull();
    const known = switched.assistant('a4', '', { ...other, ...usage(11_000, 10, 2) });
    expect(await costOfMiss(known)).toBeCloseTo(10_000 * 1.8);
  });

  it('is that of listed prices where no rate is recorded, and of no other model', async () => {
    const of = (model: string) => ({ provider: 'anthropic', model });
    const log = new Log('costs')
      .assistant('a1', '', { ...of('listed'), ...usage(0, 5000, null) })
      .assistant('a2', '', { ...of('listed'), ...usage(0, 6000, null) })
      .assistant('a3', '', { ...of('unlisted'), ...usage(0, 7000, null) });
    const prices = { input: 3, output: 15, cacheRead: 0.5, cacheWrite: 3, tiers: [] };
    const { requests, summary } = await reportOf(log, (model) => (model === 'anthropic/listed' ? prices : null));
    const breaks = requests.flatMap(({ break: broken }) => broken ?? []);
    expect(breaks.map(({ rebilledCost }) => rebilledCost)).toEqual([null, null]);
    expect(breaks[0]?.rebilledCostListed).toBeCloseTo((5000 * 2.5) / 1e6, 10);
    expect([breaks[1]?.rebilledCostListed, summary.rebilledCostListed]).toEqual([null, null]);
    expect(summary.byClass.map(({ rebilledCostListed }) => rebilledCostListed)).toContain(
      breaks[0]?.rebilledCostListed,
    );
    const hour = { ...(usage(0, 6000, null).usage as Json), cacheWrite1h: 6000 };
    const kept = new Log('costs').assistant('a1', '', { ...of('listed'), ...usage(0, 5000, null) });
    const { summary: hours } = await reportOf(kept.assistant('a2', '', { ...of('listed'), usage: hour }), () => prices);
    expect(hours.rebilledCostListed).toBeCloseTo((5000 * 5.5) / 1e6, 10);
    const paid = await reportOf(first().assistant('a3', '', usage(2000, 9000, 1)), () => prices);
    expect(paid.summary.rebilledCostListed).toBe(paid.summary.rebilledCost);
  });

  it('is nothing where nothing is paid, and not known where nothing is recorded', async () => {
    expect(await costOfMiss(first().assistant('a3', '', usage(0, 11_000, 0)))).toBe(0);
    const unknown = new Log('costs')
      .assistant('a1', '', usage(0, 5000, null))
      .assistant('a2', '', usage(0, 6000, null));
    expect(await costOfMiss(unknown)).toBeNull();
    expect((await reportOf(unknown)).summary).toMatchObject({
      rebilledTokens: 5000,
      rebilledTokensEstimated: 0,
      rebilledCost: null,
    });
  });
});
