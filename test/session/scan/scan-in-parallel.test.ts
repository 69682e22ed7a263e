import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyHead } from '#session/heads/head.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import {
  FAILED_PIECE,
  scanFromEnd,
  scanInParallel,
  type SharedScan,
  type StartPartScan,
} from '#session/scan/parallel/scan-in-parallel.js';
import { bytesAccountedFor, type Scan } from '#session/scan/scan.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { mutated, mutation } from '../../support/damaged-files.js';
import { bytes, HEADER, lines, user } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const idOf = (at: number): string => (0x10000000 + at * 7919).toString(16);

/** A chain of messages with ids as Pi makes them. */
function talk(length: number, text: string): Uint8Array {
  const messages = Array.from({ length }, (_, at) => user(idOf(at), at === 0 ? null : idOf(at - 1), text));
  return bytes(lines(HEADER, ...messages));
}

/** Half a megabyte, of lines as long as most. */
const TALK = talk(160, 'naïve '.repeat(500));
/** Not so near the end that an earlier change could lead it to the header. */
const inEntries = fc.integer({ min: lines(HEADER).length, max: TALK.length - 1000 });
const changes = fc.array(
  fc.tuple(mutation, inEntries).map(([change, at]) => ({ ...change, at })),
  { maxLength: 4 },
);

/** Pieces that are shorter and longer than a line. */
const pieceBytes = fc.constantFrom(1000, 5000, 70_000, 300_000);

async function inTwo(file: Uint8Array, start: StartPartScan | null, piece: number): Promise<Scan> {
  const source = { ...toByteSource(file), canBeReopened: true };
  return scanInParallel(source, 'f', { partScanner: async () => start, worthAThread: 1000, pieceBytes: piece });
}

/** Another thread that takes so many pieces before this one begins, and none afterwards. Gives the records that it found. */
function takeBefore(pieces: number, file: Uint8Array, shared: SharedScan): number {
  const count = Math.min(pieces, shared.counts.length);
  const rest = Int32Array.of(shared.counts.length - count);
  scanFromEnd(toByteSource(file), { ...shared, taken: rest });
  shared.taken[0] = count;
  return shared.counts.reduce((sum, records) => sum + Math.max(0, records), 0);
}

const said = (found: Scan): unknown => ({ ...found, heads: Array.from(found.heads, copyHead) });

describe('a file that two threads scan from both ends', () => {
  it('says what it says when one does', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(changes, pieceBytes, fc.integer({ min: 0, max: 100 }), async (made, piece, percent) => {
        const file = made.reduce(mutated, TALK);
        const pieces = Math.round((percent * file.length) / piece / 100);
        const start: StartPartScan = async (shared) => {
          taken += takeBefore(pieces, file, shared);
        };
        const found = await inTwo(file, start, piece);
        expect(said(found)).toEqual(said(scanSession(toByteSource(file), 'f')));
        expect(bytesAccountedFor(found)).toBe(file.length);
      }),
      { numRuns: runs(100) },
    );
    // About half of the lines.
    expect(taken).toBeGreaterThan(runs(100) * 40);
  });

  it.each<readonly [string, StartPartScan | null]>([
    ['there is no other thread', null],
    ['the other one does nothing', async () => {}],
    ['the other one takes pieces and fails', async ({ taken }) => void taken.fill(3)],
    [
      'the file shrinks before the other one looks',
      async (file) => scanFromEnd(toByteSource(TALK.subarray(0, 5000)), file),
    ],
  ])('says it too where %s', async (_, start) => {
    expect(said(await inTwo(TALK, start, 50_000))).toEqual(said(scanSession(toByteSource(TALK), 'f')));
  });

  it('reports it too if there is no room for that number of short lines', async () => {
    const short = talk(3000, 'short');
    let counts: readonly number[] = [];
    const start: StartPartScan = async (shared) => {
      scanFromEnd(toByteSource(short), shared);
      counts = [...shared.counts];
    };
    expect(said(await inTwo(short, start, 200_000))).toEqual(said(scanSession(toByteSource(short), 'f')));
    expect(counts).toContain(FAILED_PIECE);
  });
});
