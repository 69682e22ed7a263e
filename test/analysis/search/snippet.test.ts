import { expect, it } from 'vitest';
import { buildSnippet } from '#analysis/search/snippet.js';
import { readWordQuery, toPatterns } from '#analysis/search/word-query.js';

function snippetOf(text: string, typed: string): { readonly text: string; readonly words: readonly string[] } | null {
  const snippet = buildSnippet(text, toPatterns(readWordQuery(typed)!));
  return (
    snippet && { text: snippet.text, words: snippet.matches.map(({ start, end }) => snippet.text.slice(start, end)) }
  );
}

it('a short text is a snippet as a whole, in one line', () => {
  expect(snippetOf('The harbour\n is  west.', 'harbour')).toEqual({ text: 'The harbour is west.', words: ['harbour'] });
});

it('a snippet of a long text is around the place where most words are', () => {
  const text = `a harbour ${'and so on '.repeat(100)} the harbour was closed ${'and so on '.repeat(100)}`;
  const snippet = snippetOf(text, 'harbour closed');
  expect(snippet?.words).toEqual(['harbour', 'closed']);
  expect(snippet?.text).toMatch(/^…(?:and|so|on|the) .*the harbour was closed.*…$/);
  expect(snippet?.text.length).toBeLessThan(200);
});

it('letters with accents are found without them, and stay as they are', () => {
  expect(snippetOf('Und Zoë, Über', 'zoe uber')).toEqual({ text: 'Und Zoë, Über', words: ['Zoë', 'Über'] });
});

it('a text without the words has no snippet', () => {
  expect(snippetOf('The harbour', 'harbours')).toBe(null);
});

it('a text with a million matches takes no longer than one with a few', () => {
  const snippet = snippetOf('harbour '.repeat(1_000_000), 'harbour');
  expect(snippet?.text.startsWith('harbour harbour')).toBe(true);
});
