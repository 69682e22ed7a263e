import { describe, expect, it } from 'vitest';
import { calibrationOf, factorOf } from '../../src/stats/calibration.js';
import { ascending, quantile } from '../../src/stats/quantiles.js';

describe('a quantile', () => {
  it('is the value of the nearest rank', () => {
    const values = ascending([5, 1, 4, 2, 3]);
    expect([0.5, 0.95, 1, 0].map((share) => quantile(values, share))).toEqual([3, 5, 5, 1]);
    expect(quantile([], 0.5)).toBeNull();
  });
});

describe('the calibration', () => {
  it('is the ratio of recorded to estimated tokens, and the error of the estimate', () => {
    const samples = [
      { recorded: 100, estimated: 100 },
      { recorded: 150, estimated: 100 },
      { recorded: 400, estimated: 200 },
    ];
    expect(calibrationOf(samples)).toEqual({ requests: 3, median: 1.5, p10: 1, p90: 2, medianError: 1 / 3 });
  });

  it('leaves out requests with nothing to compare', () => {
    expect(calibrationOf([{ recorded: 10, estimated: 0 }])).toBeNull();
    expect(calibrationOf([])).toBeNull();
  });

  it('takes only what prompts grew by, where the prompt and tools are not known', () => {
    const hidden = 5000;
    const samples = [10, 110, 50, 250].map((estimated) => ({ estimated, recorded: hidden + estimated * 1.25 }));
    expect(factorOf(samples, false)).toBeCloseTo(1.25);
    expect(factorOf(samples, true)).toBeGreaterThan(20);
    expect(factorOf(samples.slice(0, 1), false)).toBeNull();
  });
});
