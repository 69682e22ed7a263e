import { expect, it } from 'vitest';
import { runWithDeadline } from '#analysis/search/deadline.js';
import { mayBacktrack } from '#analysis/search/pattern-search.js';

it('work that takes exponential time is given up', () => {
  const never = (): boolean => /^(a+)+$/.test(`${'a'.repeat(60)}!`);
  expect(() => runWithDeadline('a --pattern', 0, never, 50)).toThrow('a --pattern exceeded the time limit');
  expect(runWithDeadline('a --pattern', 0, () => 'done', 50_000)).toBe('done');
});

it.each([
  ['isoDate|tomorrow', false],
  ['^\\s[abc]\\.x$', false],
  ['a.*b', true],
  ['(a|ab)(c|bcd)', true],
  ['a{2}', true],
  ['\\1', true],
])('the pattern %s needs a time limit: %s', (source, expected) => {
  expect(mayBacktrack(new RegExp(source))).toBe(expected);
});
