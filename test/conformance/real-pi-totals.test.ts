import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { fixtures, NO_SAMPLES, orNoSamples, projectFolder, recordings } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { isComparable } from './judged.js';
import { type GoldenTotals, goldenTotalsFile, PAID, paidSession, type Totals, totalsOf } from './totals.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-totals-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function askPi(files: readonly string[]): Promise<readonly Totals[]> {
  const cwd = path.join(projectFolder, 'test/pi');
  const { stdout } = await execa('node', ['stats.mjs'], { cwd, input: files.join('\n'), maxBuffer: 1e9 });
  return stdout.split('\n').map((line) => JSON.parse(line) as Totals);
}

/** JSON has no NaN: Pi's sums are that where a usage lacks a number. */
function isNumber(totals: Totals): boolean {
  return totals !== null && [totals.cost, ...Object.values(totals.tokens)].every((value) => value !== null);
}

it.for(orNoSamples(recordings))('real Pi adds up the same of %s', async (file, { skip }) => {
  skip(file === NO_SAMPLES, NO_SAMPLES);
  const [theirs = null] = await askPi([file]);
  if (isNumber(theirs)) expect(totalsOf(readFileSync(file))).toEqual(theirs);
});

it('real Pi stands behind the golden totals', async () => {
  const files = PAID.map((seed) => {
    const file = path.join(folder, `${seed}.jsonl`);
    writeFileSync(file, paidSession(seed));
    return file;
  });
  const stock = fixtures.filter(isComparable);
  const known = (totals: Totals): Totals => (isNumber(totals) ? totals : null);
  const ofFixtures = (await askPi(stock)).map(known);
  const golden: GoldenTotals = {
    fixtures: Object.fromEntries(stock.map((file, at) => [path.relative(projectFolder, file), ofFixtures[at] ?? null])),
    generated: (await askPi(files)).map(known),
  };
  const text = `${JSON.stringify(golden)}\n`;
  expectGenerated(goldenTotalsFile, text);
});
