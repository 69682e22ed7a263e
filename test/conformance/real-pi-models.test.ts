import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { priceListed } from '#context/models/prices.js';
import { findModelInfo } from '#context/models/registry.js';
import { dataFile, dataText } from '../../src/context/models/build.mjs';
import { withRealPi } from '../support/real-pi.js';

const USAGES = [
  { input: 1000, output: 500, cacheRead: 0, cacheWrite: 0 },
  { input: 3, output: 700, cacheRead: 90_000, cacheWrite: 4000, cacheWrite1h: 1000 },
  { input: 250_000, output: 1, cacheRead: 100_000, cacheWrite: 0 },
];

withRealPi('the list of models', () => {
  it('is that of the Pi package that is installed; npm run models writes it', async () => {
    expect(await readFile(dataFile, 'utf8')).toBe(await dataText());
  });

  it('costs what Pi says, and nothing is known where Pi knows no price', async () => {
    const { MODELS, calculateCost } = await import('../pi/pi-ai.mjs');
    let compared = 0;
    for (const [provider, models] of Object.entries(MODELS))
      for (const model of models) {
        const { prices } = findModelInfo({ provider, modelId: model.id }) ?? {};
        expect(prices === null).toBe(model.cost.input === 0 && model.cost.output === 0);
        for (const usage of USAGES) {
          const cost = prices ? priceListed(prices, usage) : null;
          if (cost === null) continue;
          expect(cost).toBeCloseTo(calculateCost(model, { ...usage, cost: {} }).total, 9);
          compared += 1;
        }
      }
    expect(compared).toBeGreaterThan(2500);
  });
});
