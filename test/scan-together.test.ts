import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAILED, scanPart, type StartPartScan } from '../src/part-scan/part.js';
import { scanTogether } from '../src/scan-together.js';
import { bytesIn } from '../src/session/bytes.js';
import { copyOf } from '../src/session/head.js';
import { bytesAccountedFor, type Scan } from '../src/session/scan.js';
import { scan } from '../src/session/scanning.js';
import { mutated, mutation } from './support/damaged-files.js';
import { bytes, HEADER, lines, user } from './support/entries.js';
import { runs } from './support/runs.js';

/** Half a megabyte, of lines as long as most, with ids as Pi makes them. */
const idOf = (at: number): string => (0x10000000 + at * 7919).toString(16);
const TALK = bytes(
  lines(
    HEADER,
    ...Array.from({ length: 160 }, (_, at) => user(idOf(at), at === 0 ? null : idOf(at - 1), 'naïve '.repeat(500))),
  ),
);
const inEntries = fc.integer({ min: lines(HEADER).length, max: TALK.length });
const changes = fc.array(
  fc.tuple(mutation, inEntries).map(([change, at]) => ({ ...change, at })),
  { maxLength: 4 },
);

async function inTwo(file: Uint8Array, start: StartPartScan | null): Promise<Scan> {
  const source = { ...bytesIn(file), canBeReopened: true };
  return scanTogether(source, 'f', { partScanner: async () => start, worthAThread: 1000 });
}

const said = (found: Scan): unknown => ({ ...found, heads: Array.from(found.heads, copyOf) });

describe('a file that is scanned in two parts', () => {
  it('says what it says in one', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (made) => {
        const file = made.reduce(mutated, TALK);
        const found = await inTwo(file, async (part) => {
          const count = scanPart(bytesIn(file), part);
          taken += count;
          return count;
        });
        expect(said(found)).toEqual(said(scan(bytesIn(file), 'f')));
        expect(bytesAccountedFor(found)).toBe(file.length);
      }),
      { numRuns: runs(60) },
    );
    // Of each file about half of the lines.
    expect(taken).toBeGreaterThan(runs(60) * 70);
  });

  it.each<readonly [string, StartPartScan | null]>([
    ['there is no other thread', null],
    ['the other one fails', async () => FAILED],
    ['the other one has no room', async (part) => scanPart(bytesIn(TALK), { ...part, words: new Uint32Array(10) })],
    ['the file shrinks before the other one looks', async (part) => scanPart(bytesIn(TALK.subarray(0, 5000)), part)],
  ])('says it too where %s', async (_, start) => {
    expect(said(await inTwo(TALK, start))).toEqual(said(scan(bytesIn(TALK), 'f')));
  });
});
