import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { tried } from '../support/runs.js';
import { type GoldenTotals, goldenTotalsFile, PAID, paidSession, totalsOf } from './totals.js';

const golden = JSON.parse(readFileSync(goldenTotalsFile, 'utf8')) as GoldenTotals;
const generated = tried([...PAID.entries()], 3);
const counted = Object.entries(golden.fixtures).filter(([, totals]) => totals !== null);

describe("Pi's own usage totals", () => {
  it.each(counted)('of %s', (name, expected) => {
    expect(totalsOf(readFileSync(path.join(projectFolder, name)))).toEqual(expected);
  });

  it(`of ${generated.length} generated sessions`, () => {
    let compared = 0;
    for (const [at, seed] of generated) {
      const expected = golden.generated[at] ?? null;
      if (expected === null) continue;
      expect(totalsOf(paidSession(seed)), `seed ${seed}`).toEqual(expected);
      compared += 1;
    }
    expect(compared).toBeGreaterThanOrEqual(0.8 * generated.length);
  });
});
