import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readingAhead } from '#session/scan/bytes.js';
import { openFile } from '#session/scan/open-file.js';

const SIZE = 600_000;
const BYTES = Uint8Array.from({ length: SIZE }, (_, at) => (at * 31 + (at >> 8)) % 251);

function counted(): { readonly calls: number[]; readonly read: (start: number, end: number) => Uint8Array } {
  const calls: number[] = [];
  const readInto = (target: Uint8Array, start: number): void => {
    expect(start + target.length).toBeLessThanOrEqual(SIZE);
    calls.push(target.length);
    target.set(BYTES.subarray(start, start + target.length));
  };
  return { calls, read: readingAhead(readInto, SIZE) };
}

describe('reading ahead', () => {
  it('gives the bytes that were asked for, in whatever order', () => {
    const near = fc.tuple(fc.integer({ min: -70_000, max: 70_000 }), fc.nat(300));
    const anywhere = fc.tuple(fc.integer({ min: -SIZE, max: SIZE }), fc.nat(300_000));
    fc.assert(
      fc.property(fc.array(fc.oneof(near, near, anywhere), { maxLength: 30 }), (steps) => {
        const { read } = counted();
        let at = 0;
        for (const [move, length] of steps) {
          const start = Math.min(Math.max(0, at + move), SIZE);
          const end = Math.min(start + length, SIZE);
          expect(Buffer.from(read(start, end)).equals(BYTES.subarray(start, end))).toBe(true);
          at = end;
        }
      }),
    );
  });

  it('takes few calls for pieces that follow one another', () => {
    const { calls, read } = counted();
    for (let at = 0; at < SIZE; at += 250) read(at, Math.min(at + 250, SIZE));
    expect(calls.length).toBeLessThan(12);
  });

  it('reads no more than it is asked for where pieces are far apart', () => {
    const { calls, read } = counted();
    for (const at of [500_000, 100_000, 300_000]) read(at, at + 10);
    expect(calls).toEqual([10, 10, 10]);
  });
});

describe('a file', () => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-open-'));
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  it.each([
    ['a small one', 1000],
    ['a large one', 5_000_000],
  ])('gives its own bytes beside others that are open, and after them: %s', async (_name, size) => {
    const files = ['a', 'b', 'c'].map((letter) => {
      const file = path.join(folder, letter);
      fs.writeFileSync(file, letter.repeat(size));
      return file;
    });
    const sources = await Promise.all(files.map((file) => openFile(file)));
    const texts = (): readonly string[] =>
      sources.map((source) => {
        const copied = Buffer.alloc(10);
        source.readInto(copied, size - 10);
        return `${Buffer.from(source.read(size - 3, size)).toString()}${copied.toString()}`;
      });
    const expected = ['a', 'b', 'c'].map((letter) => letter.repeat(13));
    expect(texts()).toEqual(expected);
    expect(texts()).toEqual(expected);
    for (const source of sources) source.close();
    for (const [at, file] of files.toReversed().entries()) {
      const source = await openFile(file);
      expect(Buffer.from(source.read(0, 3)).toString()).toBe('cba'[at]?.repeat(3));
      source.close();
    }
    expect(() => sources[0]?.read(0, size)).toThrow();
  });
});
