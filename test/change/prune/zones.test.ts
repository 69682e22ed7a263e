import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findZoneStart, isFuller, type Zone, zoneOf, ZONES } from '#change/prune/zones.js';

const THRESHOLDS = { yellow: 0.5, red: 0.7, compact: 0.85 };

describe('the zone of a context', () => {
  it.each<[number, Zone]>([
    [0, 'green'],
    [49_999, 'green'],
    [50_000, 'yellow'],
    [69_999, 'yellow'],
    [70_000, 'red'],
    [84_999, 'red'],
    [85_000, 'compact'],
    [1_000_000, 'compact'],
  ])('of %i tokens out of 100,000 is %s', (tokens, zone) => {
    expect(zoneOf(tokens, 100_000, THRESHOLDS)).toBe(zone);
  });

  it('is the worse one where two begin at the same number', () => {
    const thresholds = { yellow: 0.5, red: 0.5, compact: 0.9 };
    expect(zoneOf(49, 100, thresholds)).toBe('green');
    expect(zoneOf(50, 100, thresholds)).toBe('red');
  });

  const shares = fc
    .array(fc.integer({ min: 1, max: 1000 }), { minLength: 3, maxLength: 3 })
    .map((all) => all.toSorted((a, b) => a - b).map((each) => each / 1000))
    .map(([yellow = 1, red = 1, compact = 1]) => ({ yellow, red, compact }));

  it('never improves with more tokens, and begins at its threshold', () => {
    fc.assert(
      fc.property(
        shares,
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.nat(2_500_000),
        fc.nat(9999),
        (of, limit, few, more) => {
          const zone = zoneOf(few, limit, of);
          expect(isFuller(zone, zoneOf(few + more, limit, of))).toBe(false);
          expect(findZoneStart(zone, limit, of)).toBeLessThanOrEqual(few);
          for (const worse of ZONES.filter((each) => isFuller(each, zone)))
            expect(findZoneStart(worse, limit, of)).toBeGreaterThan(few);
        },
      ),
    );
  });
});
