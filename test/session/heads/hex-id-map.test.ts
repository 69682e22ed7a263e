import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { HexIdMap } from '../../../src/session/heads/hex-id-map.js';

const hash = (key: number): number => Math.imul(key ^ (key >>> 16), 0x45d9f3b) >>> 4;

/** Keys of which very many belong to the same few places. */
const crowded: readonly number[] = (() => {
  const keys: number[] = [];
  for (let key = 0; keys.length < 300; key += 1) if ((hash(key) & 0x3fff) < 2) keys.push(key);
  return keys;
})();

it('holds what a Map holds, also where keys crowd together', () => {
  const key = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0, ...crowded));
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 400 }), fc.array(key), (keys, others) => {
      const table = new HexIdMap(0);
      const map = new Map<number, number>();
      for (const [number, added] of keys.entries()) {
        expect(table.get(added)).toBeUndefined();
        expect(table.set(added, number + 1)).toBe(false);
        expect(table.set(added, number)).toBe(true);
        map.set(added, number);
      }
      for (const any of [...keys, ...others]) expect(table.get(any)).toBe(map.get(any));
    }),
  );
});

it('takes many keys at once as it takes them one by one', () => {
  const key = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0, ...crowded));
  fc.assert(
    fc.property(
      fc.array(fc.array(key, { maxLength: 200 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      (lists, step) => {
        const [atOnce, oneByOne] = [new HexIdMap(0), new HexIdMap(0)];
        let first = 0;
        for (const keys of lists) {
          const rows = new Uint32Array(1 + keys.length * step);
          for (const [row, each] of keys.entries()) rows[1 + row * step] = each;
          const repeats = keys.map((each, row) => oneByOne.set(each, first + row));
          expect(atOnce.setAll(rows, { from: 1, step, count: keys.length, first })).toBe(repeats.includes(true));
          first += keys.length;
        }
        for (const each of [...lists.flat(), ...crowded]) expect(atOnce.get(each)).toBe(oneByOne.get(each));
      },
    ),
  );
});

it('is fast also where all keys crowd together', () => {
  const keys: number[] = [];
  for (let at = 0; at < 1 << 20; at += 1) if ((hash(at * 4096) & 0xff) === 0) keys.push(at * 4096);
  expect(keys.length).toBeGreaterThan(3000);
  const table = new HexIdMap(0);
  for (const [number, key] of keys.entries()) table.set(key, number);
  expect(keys.every((key, number) => table.get(key) === number)).toBe(true);
});
