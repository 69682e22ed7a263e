import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSimilarText } from '#analysis/diff/envelope-diff.js';

it.each([
  ['', '', true],
  ['a', '', false],
  ['abcde', 'abcde', true],
  ['abxxx', 'abyyy', true],
  ['axxxx', 'ayyyy', false],
  ['xxxab', 'yyyab', true],
  ['xxxxa', 'yyyya', false],
  ['axxxb', 'ayyyb', true],
  ['xabx', 'yaby', false],
  ['ab', 'abcde', true],
  ['ab', 'abcdef', false],
  ['aaaa', 'aaaaaaaaaa', true],
  ['aaa', 'aaaaaaaaaa', false],
  ['ab', 'xxxab', true],
  ['aba', 'abxxxba', true],
  ['abc', 'cab', false],
])('%j and %j are like one another: %j', (one, other, expected) => {
  expect(isSimilarText(one, other)).toBe(expected);
});

it('is the same both ways round, and of a text and itself', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(isSimilarText(one, other)).toBe(isSimilarText(other, one));
      expect(isSimilarText(one, one)).toBe(true);
    }),
  );
});
