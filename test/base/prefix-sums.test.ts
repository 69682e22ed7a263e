import { expect, it } from 'vitest';
import { PrefixSums } from '#base/prefix-sums.js';

it('finds the numbers within a limit as a walk along the list does, after additions and changes', () => {
  const sums = new PrefixSums();
  const list: number[] = [];
  for (let step = 1; step <= 200; step += 1) {
    const value = (step * 37) % 11;
    sums.push(value);
    list.push(value);
    const at = (step * 53) % list.length;
    const more = step % 5;
    sums.add(at, more);
    list[at] = (list[at] ?? 0) + more;
    for (const limit of [-1, 0, 7, step * 3, 1e9]) {
      let count = 0;
      let rest = limit;
      while (count < list.length && (list[count] ?? 0) <= rest) rest -= list[count++] ?? 0;
      expect(sums.findWithin(limit)).toEqual({ count, rest });
    }
  }
  expect(sums.length).toBe(200);
});
