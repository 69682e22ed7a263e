import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addCosts, buildRateLookup, type RatedRequest } from '#analysis/cache/costs.js';
import type { CacheBreak, CacheRequest } from '#analysis/cache/document.js';
import type { PromptUsage } from '#analysis/cache/recorded-answer.js';
import { runs } from '../../support/runs.js';

type Rates = readonly [paid: number | null, read: number | null];

function usageAt([paidRate, readRate]: Rates): PromptUsage {
  return { input: 0, cacheRead: 10, cacheWrite: 10, promptTokens: 20, paidRate, readRate };
}

/** The request that is nearest and has the rate; of two that are as near the later one. */
function plainly(requests: readonly RatedRequest[], at: RatedRequest, which: 'paidRate' | 'readRate'): number | null {
  const rated = requests.filter(({ model, usage }) => model === at.model && usage?.[which] != null);
  const distances = rated.map(({ number }) => Math.abs(number - at.number));
  return rated[distances.lastIndexOf(Math.min(...distances))]?.usage?.[which] ?? null;
}

describe('the rates of a request', () => {
  it('are its own, else those of the nearest one of the same model, else of the later one', () => {
    const rate = fc.option(fc.integer({ min: 0, max: 50 }));
    const request = fc.record({
      model: fc.constantFrom('a', 'b'),
      usage: fc.option(fc.tuple(rate, rate).map(usageAt)),
    });
    const some = fc.array(request, { maxLength: 30 });
    fc.assert(
      fc.property(some, (drawn) => {
        const requests = drawn.map((each, at) => ({ ...each, number: at + 1 }));
        const ratesAt = buildRateLookup(requests);
        for (const each of requests)
          expect(ratesAt(each)).toEqual({
            paid: plainly(requests, each, 'paidRate'),
            read: plainly(requests, each, 'readRate'),
          });
        expect(ratesAt({ model: 'c', number: 1 })).toEqual({ paid: null, read: null });
      }),
      { numRuns: runs(300) },
    );
  });
});

const BREAK: CacheBreak = {
  class: 'unexplained',
  entryId: null,
  line: null,
  also: [],
  declaredReasons: [],
  undeclared: false,
  divergence: null,
  volatile: null,
  detail: null,
  evidence: 'none',
  isFloor: false,
  between: [],
  recordedMiss: true,
  rebilledTokens: 100,
  rebilledTokensEstimated: null,
  rebilledCost: null,
  rebilledCostListed: null,
};

const MISS = { tokens: 10, cost: null };

function requestWith(more: Partial<CacheRequest>): CacheRequest {
  return {
    schema: 'ctx/cache-request',
    schemaVersion: 1,
    entryId: 'a1',
    line: 2,
    request: 1,
    time: null,
    model: 'a',
    unbilled: false,
    promptTokensEstimated: 20,
    prefixTokensEstimated: null,
    expectedCacheReadEstimated: null,
    recorded: null,
    piMiss: null,
    naiveMiss: false,
    idleMilliseconds: null,
    retentionMinutes: null,
    expiredTokens: null,
    break: null,
    ...more,
  };
}

describe('the costs of a request', () => {
  it.each<readonly [what: string, rates: Rates | null, costs: readonly [broken: number | null, miss: number | null]]>([
    ['what was paid, less what reading costs', [5, 1], [400, 40]],
    ['nothing where reading costs more', [1, 5], [0, 0]],
    ['nothing where nothing is paid', [0, null], [0, 0]],
    ['unknown without the rate for reading', [5, null], [null, null]],
    ['unknown without the rate for the rest', [null, 1], [null, null]],
    ['unknown without usage', null, [null, null]],
  ])('are %s', (_what, rates, [broken, miss]) => {
    const request = requestWith({ break: BREAK, piMiss: MISS });
    expect(addCosts([request], [{ model: 'a', number: 1, usage: rates && usageAt(rates) }])).toEqual([
      {
        ...request,
        piMiss: { tokens: 10, cost: miss },
        break: { ...BREAK, rebilledCost: broken, rebilledCostListed: broken },
      },
    ]);
  });

  it('are stated for a loss, by the numbers of a provider or by the rule of Pi', () => {
    const estimated = { ...BREAK, rebilledTokens: null, rebilledTokensEstimated: 100 };
    const requests = [{}, { break: estimated }, { break: BREAK }, { piMiss: MISS }].map(requestWith);
    const rated = [{ model: 'a', number: 1, usage: usageAt([5, 1]) }];
    const costs = addCosts(requests, rated).map(({ break: broken, piMiss }) => [broken?.rebilledCost, piMiss?.cost]);
    expect(costs).toEqual([
      [undefined, undefined],
      [null, undefined],
      [400, undefined],
      [undefined, 40],
    ]);
  });
});
