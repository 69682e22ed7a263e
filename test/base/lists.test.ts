import { expect, it } from 'vitest';
import { findFirstPast, sumBy } from '#base/lists.js';
import { GrowingFold } from '../../src/base/growing-fold.js';
import { addTo, incrementCount } from '../../src/base/maps.js';

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
  expect([incrementCount(counts, 'a'), incrementCount(counts, 'b', 3), incrementCount(counts, 'a')]).toEqual([1, 3, 2]);
});

it('a sum of no items is 0', () => {
  expect(sumBy([], () => 1)).toBe(0);
  expect(sumBy(['a', 'bc'], ({ length }) => length)).toBe(3);
});

it.each([
  [[], 5, 0],
  [[1, 3, 3, 7], 0, 0],
  [[1, 3, 3, 7], 3, 3],
  [[1, 3, 3, 7], 7, 4],
])('of %j, the first number above %i is at place %i', (numbers, limit, place) => {
  expect(findFirstPast(numbers.length, (at) => (numbers[at] ?? 0) > limit)).toBe(place);
});

it.each([
  ['grows', [1, 2], [1, 2, 3], [3]],
  ['stays as it is', [1, 2], [1, 2], []],
  ['shrinks', [1, 2, 3], [1, 2], []],
  ['changes in the middle', [1, 2, 3], [1, 5, 3], [5, 3]],
  ['is another one', [1, 2], [3], [3]],
])('a list that %s is folded from the first change on', (_, before, after, taken) => {
  const seen: number[] = [];
  const fold = new GrowingFold<number, string>((text = '', item) => (seen.push(item), `${text}${item}`));
  const list = [...before];
  fold.fold(list);
  seen.length = 0;
  // The same list, changed by its owner.
  list.splice(0, list.length, ...after);
  expect(fold.fold(list)).toBe(after.join(''));
  expect(seen).toEqual(taken);
});

it('a fold of nothing has no state', () => {
  const fold = new GrowingFold<number, number>((sum = 0, item) => sum + item);
  expect([fold.fold([]), fold.fold([1, 2]), fold.fold([])]).toEqual([undefined, 3, undefined]);
});
