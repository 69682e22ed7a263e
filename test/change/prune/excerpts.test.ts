import { describe, expect, it } from 'vitest';
import { buildExcerpt, type ExcerptSize } from '#change/prune/excerpts.js';
import { describeShape, readJsonText } from '#change/prune/json-shape.js';
import { readSearchHits } from '#change/prune/search-hits.js';
import type { ToolKind } from '#change/prune/tool-kinds.js';

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n');
}

const SIZES: Readonly<Record<ToolKind, Omit<ExcerptSize, 'characters'>>> = {
  search: { lines: 5, tail: 0 },
  read: { lines: 10, tail: 0 },
  command: { lines: 50, tail: 40 },
  other: { lines: 40, tail: 20 },
};

describe('what stays of a text', () => {
  it.each<[ToolKind, string, number, string, string]>([
    ['read', lines(1, 12), 500, 'First 10 of 12 lines', lines(1, 10)],
    ['read', `${lines(1, 5)}\r\n\n\n`, 500, 'First 5 of 5 lines', lines(1, 5)],
    ['read', lines(1, 12), 27, 'First 3 of 12 lines', lines(1, 3)],
    ['read', lines(1, 12), 20, 'First 2 of 12 lines', lines(1, 2)],
    ['read', lines(1, 12), 21, 'First 3 of 12 lines', lines(1, 3)],
    ['read', `${lines(1, 12)}\n[cut]`, 500, 'First 10 of 13 lines', `${lines(1, 10)}\n[cut]`],
    ['read', `${lines(1, 4)}\n[cut]`, 500, 'First 5 of 5 lines', `${lines(1, 4)}\n[cut]`],
    ['read', `${lines(1, 12)}\n[]`, 500, 'First 10 of 13 lines', lines(1, 10)],
    [
      'read',
      `${lines(1, 12)}\n[${'x'.repeat(198)}]`,
      500,
      'First 10 of 13 lines',
      `${lines(1, 10)}\n[${'x'.repeat(198)}]`,
    ],
    ['read', `${lines(1, 12)}\n[${'x'.repeat(199)}]`, 500, 'First 10 of 13 lines', lines(1, 10)],
    ['read', `${lines(1, 12)}\n[x] y`, 500, 'First 10 of 13 lines', lines(1, 10)],
    ['read', '{"a":1}\n'.repeat(3), 500, 'First 3 of 3 lines', '{"a":1}\n{"a":1}\n{"a":1}'],
    ['search', lines(1, 25), 999, 'First 20 of 25 lines', lines(1, 20)],
    ['search', 'a\n\n \nb\n', 999, 'First 2 of 2 lines', 'a\nb'],
    ['search', `a\n${'b'.repeat(300)}`, 999, 'First 2 of 2 lines', `a\n${'b'.repeat(198)} …`],
    ['search', '{"a":[]}', 999, 'Key fields', 'a: 0 items'],
    ['search', '["a"]', 999, 'Found 1 result. Top 1', '1. a'],
    ['search', '[{"title":"A","url":"b"},{"name":"C"}]', 999, 'Found 2 results. Top 2', '1. A - b\n2. C'],
    [
      'search',
      JSON.stringify({ web: { results: 'abcdefgh'.split('') } }),
      999,
      'Found 8 results. Top 5',
      '1. a\n2. b\n3. c\n4. d\n5. e',
    ],
    ['search', '1. A\n   URL: b\n   c\n\n2. D\n   e', 999, 'Found 2 results. Top 2', '1. A - b - c\n2. D - e'],
    ['command', lines(1, 51), 999, 'First 10 and last 40 of 51 lines', `${lines(1, 10)}\n[1 lines]\n${lines(12, 51)}`],
    ['command', lines(1, 50), 999, 'First 10 and last 40 of 50 lines', lines(1, 50)],
    ['command', lines(1, 30), 999, 'First 10 and last 20 of 30 lines', lines(1, 30)],
    ['command', lines(10, 39), 90, 'First 2 and last 9 of 30 lines', `${lines(10, 11)}\n[19 lines]\n${lines(31, 39)}`],
    ['other', lines(1, 41), 999, 'First 20 and last 20 of 41 lines', `${lines(1, 20)}\n[1 lines]\n${lines(22, 41)}`],
    ['other', lines(1, 40), 999, 'First 20 and last 20 of 40 lines', lines(1, 40)],
    [
      'other',
      `${'a'.repeat(300)}${'b'.repeat(300)}`,
      201,
      'First 100 and last 100 of 600 characters',
      `${'a'.repeat(100)}\n[400 characters]\n${'b'.repeat(100)}`,
    ],
    ['other', `${'a'.repeat(300)}${'b'.repeat(300)}`, 200, 'First 0 and last 0 of 1 lines', '[1 lines]'],
    [
      'other',
      `${'a'.repeat(99)}🌧${'b'.repeat(300)}🌧${'c'.repeat(99)}`,
      201,
      'First 99 and last 99 of 502 characters',
      `${'a'.repeat(99)}\n[304 characters]\n${'c'.repeat(99)}`,
    ],
    ['other', '{"a":1}', 999, 'Key fields', 'a = 1'],
    ['command', '[1]', 999, 'Key fields', '(list) = 1\n[0] = 1'],
    ['command', '{"a":', 4, 'First 0 and last 0 of 1 lines', '[1 lines]'],
  ])('of a %s: %j in %i characters', (kind, text, most, what, kept) => {
    expect(buildExcerpt(kind, text, { ...SIZES[kind], characters: most })).toEqual({ what, text: kept });
  });

  it('is 60 fields at most', () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`k${at}`, at])));
    expect(buildExcerpt('other', many, { ...SIZES.other, characters: 9999 }).text.split('\n')).toEqual(
      Array.from({ length: 60 }, (_, at) => `k${at} = ${at}`),
    );
  });
});

describe('JSON', () => {
  it.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    [' \n [1]', [1]],
    ['{}', {}],
    ['"{}"', null],
    ['1', null],
    ['{"a":1', null],
    ['x{}', null],
    ['', null],
  ])('%j is read where it is an object or a list', (text, value) => {
    expect(readJsonText(text)).toEqual(value);
  });

  it.each<[unknown, readonly string[]]>([
    [{}, []],
    [[], ['(list) = 0']],
    [[[]], ['(list) = 1', '[0]: 0 items']],
    [{ a: {} }, ['a: 0 fields']],
    [{ a: { b: { c: 1 } }, d: true }, ['a: 1 fields', 'd = true', 'a.b: 1 fields', 'a.b.c = 1']],
    [{ a: [{ b: [2, 3] }, { c: 1 }] }, ['a: 2 items', 'a[0]: 1 fields', 'a[0].b: 2 items', 'a[0].b[0] = 2']],
    [{ a: 'x'.repeat(80), b: 'x'.repeat(81) }, [`a = "${'x'.repeat(80)}"`, 'b: text of 81 characters']],
    [{ 'a b': null, 'a-b$_9': 'é', '': 1 }, ['"a b" = null', 'a-b$_9 = "é"', '"" = 1']],
    [{ ['k'.repeat(40)]: 1, ['k'.repeat(41)]: 2 }, [`${'k'.repeat(40)} = 1`, `"${'k'.repeat(38)} …" = 2`]],
    [7, []],
  ])('%j has this shape', (value, shape) => {
    expect([...describeShape(value)]).toEqual(shape);
  });

  it('of very many fields shows a hundred of each object', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`k${at}`, at]));
    expect([...describeShape(many)]).toHaveLength(100);
  });

  it.each<[unknown, readonly string[] | null]>([
    [[{ title: 'A', url: 'u', snippet: 's' }], ['A - u - s']],
    [[{ title: '', name: 'N', link: 'l', description: 'd' }], ['N - l - d']],
    [
      [{ path: 'p', href: 'h', summary: 's' }, 7, { file: 'f', text: ' t\n\tu ' }],
      ['p - h - s', 'f - t u'],
    ],
    [[{ title: 3, content: 'c' }], ['c']],
    [[{ a: 1 }], null],
    [[{ a: 1 }, { title: 'A' }], ['A']],
    [[], null],
    [['a'], ['a']],
    [{ took: 3, none: [], hits: [{ title: 'A' }], more: [{ title: 'B' }] }, ['A']],
    [{ data: { web: { results: [{ title: 'A' }] } } }, ['A']],
    [{ hits: { title: 'A' } }, null],
    [[{ title: 'x'.repeat(241), url: 'x'.repeat(240) }], [`${'x'.repeat(238)} … - ${'x'.repeat(240)}`]],
  ])('%j holds these results', (value, hits) => {
    const found = readSearchHits(JSON.stringify(value));
    expect(found?.map(({ title, about }) => [title, ...about].join(' - ')) ?? null).toEqual(hits);
  });

  it.each<[string, readonly string[] | null]>([
    ['## A\nURL: b\n\n## C\nd', ['A', 'C']],
    ['a\nb\nc', null],
    ['a\n\nb\n\nc', null],
  ])('%j has paragraphs with these titles', (text, titles) => {
    expect(readSearchHits(text)?.map(({ title }) => title) ?? null).toEqual(titles);
  });
});
