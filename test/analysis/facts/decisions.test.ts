import { expect, it } from 'vitest';
import { findDecisions } from '#analysis/facts/decisions.js';

it.each([
  'I chose a.ts.',
  'We decided to keep one file.',
  'I went with Date.UTC instead of a library.',
  'I will use Date.UTC instead of a library, because the bundle must stay small.',
  "We'll keep the cache in memory for now.",
  'The fix is to make the key depend on the theme.',
])('decides: %s', (sentence) => {
  expect(findDecisions(`It rained. ${sentence} Done.`)).toEqual([sentence]);
});

it.each([
  'It is so because it rained.',
  'If it is a.ts instead of b.ts, fine.',
  "I'll use that alias in the next edits.",
  'The footer now uses dim instead of muted.',
  'Empty lines are `" ".repeat(width)` instead of `""`.',
  '`click(x, y)` instead of `browser_click(element, ref)`',
  'This is an important decision.',
  '## The tradeoff',
  'Should we use tabs instead of blanks?',
  'We might use tabs instead of blanks.',
])('decides nothing: %s', (sentence) => {
  expect(findDecisions(sentence)).toEqual([]);
});
