import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildReadAhead } from '../../../src/session/scan/read-ahead.js';

const SIZE = 2_500_000;
const BYTES = Uint8Array.from({ length: SIZE }, (_, at) => (at * 31 + (at >> 8)) % 251);

function counted(): { readonly calls: number[]; readonly read: (start: number, end: number) => Uint8Array } {
  const calls: number[] = [];
  const readInto = (target: Uint8Array, start: number): void => {
    expect(start + target.length).toBeLessThanOrEqual(SIZE);
    calls.push(target.length);
    target.set(BYTES.subarray(start, start + target.length));
  };
  return { calls, read: buildReadAhead(readInto, SIZE) };
}

describe('reading ahead', () => {
  it('gives the bytes that were asked for, in whatever order', () => {
    const near = fc.tuple(fc.integer({ min: -70_000, max: 70_000 }), fc.nat(300));
    const anywhere = fc.tuple(fc.integer({ min: -SIZE, max: SIZE }), fc.nat(1_200_000));
    fc.assert(
      fc.property(fc.array(fc.oneof(near, near, anywhere), { maxLength: 20 }), (steps) => {
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
    expect(calls.length).toBeLessThan(40);
  });

  it('reads blocks of a megabyte into the same memory', () => {
    const { read } = counted();
    const [first, second] = [read(0, 1 << 20).buffer, read(1 << 20, 2 << 20).buffer];
    expect(second === first).toBe(true);
  });

  it('reads no more than it is asked for where pieces are far apart', () => {
    const { calls, read } = counted();
    for (const at of [500_000, 100_000, 300_000]) read(at, at + 10);
    expect(calls).toEqual([10, 10, 10]);
  });
});
