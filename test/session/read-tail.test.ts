import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyHead } from '#session/heads/head.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { readTail } from '../../src/session/read-tail.js';
import { type ByteSource, toByteSource } from '../../src/session/scan/byte-source.js';
import { bytes, HEADER, lines } from '../support/entries.js';
import { generateSession } from '../support/generate.js';

const FIRST_BYTES = 1 << 21;

/** Many sessions in one file, so that it is long; ids may repeat, which is part of the game. */
function longFile(seeds: readonly number[], odd: number, size: number): Uint8Array {
  const parts = seeds.map((seed) => generateSession({ seed, odd, entries: 60 }).split('\n').slice(1).join('\n'));
  let text = lines(HEADER);
  for (let at = 0; text.length < size; at += 1) text += parts[at % parts.length]!;
  return bytes(text);
}

/** The path to the leaf as far as a session knows it, and the ids that it does not know. */
function path({ tree }: Session): readonly object[] {
  return tree.leaf ? pathTo(tree, tree.leaf).map(copyHead) : [];
}

function counting(source: ByteSource): { source: ByteSource; read: () => number } {
  let read = 0;
  return {
    source: {
      ...source,
      readInto(target, start) {
        read += target.length;
        source.readInto(target, start);
      },
    },
    read: () => read,
  };
}

describe('the tail of a session', () => {
  it.each([0, 0.3])('says of the last lines what the whole says of them, with a share of oddities of %s', (odd) => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (seeds) => {
        const file = longFile(seeds, odd, FIRST_BYTES * 1.5);
        const whole = readSession(toByteSource(file), 'f');
        const tail = readTail(toByteSource(file), 'f', () => true);
        const known = path(tail);
        expect(known.length).toBeGreaterThan(0);
        expect(path(whole).slice(-known.length)).toEqual(known);
        const last = Array.from(whole.tree.heads, copyHead).slice(-tail.tree.heads.length);
        expect(Array.from(tail.tree.heads, copyHead)).toEqual(last);
      }),
      { numRuns: 8 },
    );
  });

  it('grows until it is enough', () => {
    const file = longFile([1, 2], 0, FIRST_BYTES * 9);
    const sizes: number[] = [];
    const tail = readTail(toByteSource(file), 'f', ({ tree }) => sizes.push(tree.heads.length) === 2);
    expect(sizes).toHaveLength(2);
    expect(sizes[1]!).toBeGreaterThan(sizes[0]! * 3);
    expect(tail.scan.isWhole).toBe(false);
  });

  it('is the whole session where nothing less is enough', () => {
    const file = longFile([1, 2], 0, FIRST_BYTES * 2);
    expect(readTail(toByteSource(file), 'f', () => false).scan.isWhole).toBe(true);
  });

  it.each([
    ['of version 1', lines({ ...HEADER, version: undefined })],
    ['whose header is not on its first line', `\n${lines(HEADER)}`],
  ])('is the whole session of a file %s', (_name, beginning) => {
    const body = longFile([5], 0, FIRST_BYTES * 2).subarray(lines(HEADER).length);
    const file = Buffer.concat([bytes(beginning), body]);
    expect(readTail(toByteSource(file), 'f', () => true).scan.isWhole).toBe(true);
  });

  it('is all that is read, but for counting lines', () => {
    const { source, read } = counting(toByteSource(longFile([1, 2], 0, FIRST_BYTES * 4)));
    const tail = readTail(source, 'f', () => true);
    expect(read()).toBeLessThanOrEqual(source.size);
    expect(tail.tree.leaf?.line).toBe(readSession(source, 'f').tree.leaf?.line);
  });

  it('has no problems of lines that it has not seen', () => {
    const file = Buffer.concat([
      bytes(`${lines(HEADER)}{"torn\n`),
      longFile([1], 0, FIRST_BYTES * 2).subarray(lines(HEADER).length),
    ]);
    expect(readSession(toByteSource(file), 'f').problems[0]).toMatchObject({ code: 'malformed-line' });
    expect(readTail(toByteSource(file), 'f', () => true).problems).toEqual([]);
  });
});
