import { expect, it } from 'vitest';
import { addTo, countUp, firstPast, sumOf } from '#base/lists.js';

it('the items of a key stay in their order', () => {
  const lists = new Map<string, number[]>();
  for (const item of [1, 2, 3]) addTo(lists, item === 2 ? 'even' : 'odd', item);
  expect([...lists]).toEqual([
    ['odd', [1, 3]],
    ['even', [2]],
  ]);
});

it('a count begins at 0', () => {
  const counts = new Map<string, number>();
  expect([countUp(counts, 'a'), countUp(counts, 'b', 3), countUp(counts, 'a')]).toEqual([1, 3, 2]);
});

it('a sum of no items is 0', () => {
  expect(sumOf([], () => 1)).toBe(0);
  expect(sumOf(['a', 'bc'], ({ length }) => length)).toBe(3);
});

it.each([
  [[], 5, 0],
  [[1, 3, 3, 7], 0, 0],
  [[1, 3, 3, 7], 3, 3],
  [[1, 3, 3, 7], 7, 4],
])('of %j, the first number above %i is at place %i', (numbers, limit, place) => {
  expect(firstPast(numbers.length, (at) => (numbers[at] ?? 0) > limit)).toBe(place);
});
