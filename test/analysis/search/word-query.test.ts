import { describe, expect, it } from 'vitest';
import { readWordQuery, toMatchExpression, toPatterns } from '#analysis/search/word-query.js';

function toExpression(typed: string, wants: 'all' | 'any' = 'all'): string | null {
  const query = readWordQuery(typed);
  return query && toMatchExpression(query, wants);
}

describe('words that a user types', () => {
  it.each([
    ['cache miss', '"cache" AND "miss"'],
    ['"cache miss" prun*', '"cache miss" AND "prun"*'],
    ['src/weather.ts', '"src weather ts"'],
    ['an "open phrase', '"an" AND "open phrase"'],
    ['NOT (x) OR "y" NEAR/2 col:z *', '"NOT" AND "x" AND "OR" AND "y" AND "NEAR 2" AND "col z"'],
    ['Müller 日本語', '"Müller" AND "日本語"'],
  ])('%s asks for %s', (typed, expression) => {
    expect(toExpression(typed)).toBe(expression);
  });

  it.each(['', '  ', '-- **', '""'])('%j asks for nothing', (typed) => {
    expect(readWordQuery(typed)).toBe(null);
  });

  it('asks for any of the words where none has all', () => {
    expect(toExpression('a b', 'any')).toBe('"a" OR "b"');
  });
});

describe('the pattern of a word', () => {
  it.each([
    ['zoe', 'Zoë sails', 'Zoe\u0308'],
    ['cache', 'caches, Cache!', 'Cache'],
    ['cach*', 'caches', 'cach'],
    ['src/a.ts', 'in src\\a.ts', 'src\\a.ts'],
  ])('%s matches in %s', (typed, text, matched) => {
    const query = readWordQuery(typed);
    const [pattern] = query ? toPatterns(query) : [];
    expect(text.normalize('NFD').match(pattern!)?.[0]).toBe(matched);
  });
});
