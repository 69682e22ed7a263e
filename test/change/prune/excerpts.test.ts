import { describe, expect, it } from 'vitest';
import { excerptOf, hitsIn, jsonIn, shapeOf } from '#change/prune/excerpts.js';
import type { ToolKind } from '#change/prune/tool-kinds.js';

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n');
}

describe('what stays of a text', () => {
  it.each<[ToolKind, string, number, string, string]>([
    ['read', lines(1, 12), 500, 'the first 10 of 12 lines follow', lines(1, 10)],
    ['read', `${lines(1, 5)}\r\n\n\n`, 500, 'the first 5 of 5 lines follow', lines(1, 5)],
    ['read', lines(1, 12), 27, 'the first 3 of 12 lines follow', lines(1, 3)],
    ['read', lines(1, 12), 20, 'the first 2 of 12 lines follow', lines(1, 2)],
    ['read', lines(1, 12), 21, 'the first 3 of 12 lines follow', lines(1, 3)],
    ['read', `${lines(1, 12)}\n[cut]`, 500, 'the first 10 of 13 lines follow', `${lines(1, 10)}\n[cut]`],
    ['read', `${lines(1, 4)}\n[cut]`, 500, 'the first 5 of 5 lines follow', `${lines(1, 4)}\n[cut]`],
    ['read', `${lines(1, 12)}\n[]`, 500, 'the first 10 of 13 lines follow', lines(1, 10)],
    [
      'read',
      `${lines(1, 12)}\n[${'x'.repeat(198)}]`,
      500,
      'the first 10 of 13 lines follow',
      `${lines(1, 10)}\n[${'x'.repeat(198)}]`,
    ],
    ['read', `${lines(1, 12)}\n[${'x'.repeat(199)}]`, 500, 'the first 10 of 13 lines follow', lines(1, 10)],
    ['read', `${lines(1, 12)}\n[x] y`, 500, 'the first 10 of 13 lines follow', lines(1, 10)],
    ['read', '{"a":1}\n'.repeat(3), 500, 'the first 3 of 3 lines follow', '{"a":1}\n{"a":1}\n{"a":1}'],
    ['search', lines(1, 25), 999, 'the first 20 of 25 entries follow', lines(1, 20)],
    ['search', 'a\n\n \nb\n', 999, 'the first 2 of 2 entries follow', 'a\nb'],
    ['search', `a\n${'b'.repeat(300)}`, 999, 'the first 2 of 2 entries follow', `a\n${'b'.repeat(198)} …`],
    ['search', '{"a":[]}', 999, 'its key fields follow', 'a: 0 items'],
    ['search', '["a"]', 999, 'its key fields follow', '(list) = 1\n[0] = "a"'],
    ['search', '[{"title":"A","url":"b"},{"name":"C"}]', 999, 'the first 2 of 2 entries follow', 'A - b\nC'],
    [
      'command',
      lines(1, 51),
      999,
      'the first 10 and the last 40 lines follow',
      `${lines(1, 10)}\n[1 lines]\n${lines(12, 51)}`,
    ],
    ['command', lines(1, 50), 999, 'the first 10 and the last 40 lines follow', lines(1, 50)],
    ['command', lines(1, 30), 999, 'the first 10 and the last 20 lines follow', lines(1, 30)],
    [
      'command',
      lines(10, 39),
      90,
      'the first 3 and the last 7 lines follow',
      `${lines(10, 12)}\n[20 lines]\n${lines(33, 39)}`,
    ],
    [
      'other',
      lines(1, 41),
      999,
      'the first 20 and the last 20 lines follow',
      `${lines(1, 20)}\n[1 lines]\n${lines(22, 41)}`,
    ],
    ['other', lines(1, 40), 999, 'the first 20 and the last 20 lines follow', lines(1, 40)],
    [
      'other',
      `${'a'.repeat(300)}${'b'.repeat(300)}`,
      201,
      'the first 100 and the last 100 characters follow',
      `${'a'.repeat(100)}\n[400 characters]\n${'b'.repeat(100)}`,
    ],
    ['other', `${'a'.repeat(300)}${'b'.repeat(300)}`, 200, 'the first 0 and the last 0 lines follow', '[1 lines]'],
    [
      'other',
      `${'a'.repeat(99)}🌧${'b'.repeat(300)}🌧${'c'.repeat(99)}`,
      201,
      'the first 99 and the last 99 characters follow',
      `${'a'.repeat(99)}\n[304 characters]\n${'c'.repeat(99)}`,
    ],
    ['other', '{"a":1}', 999, 'its key fields follow', 'a = 1'],
    ['command', '[1]', 999, 'its key fields follow', '(list) = 1\n[0] = 1'],
    ['command', '{"a":', 4, 'the first 0 and the last 0 lines follow', '[1 lines]'],
  ])('of a %s: %j in %i characters', (kind, text, most, what, kept) => {
    expect(excerptOf(kind, text, most)).toEqual({ what, text: kept });
  });

  it('is 60 fields at most', () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`k${at}`, at])));
    expect(excerptOf('other', many, 9999).text.split('\n')).toEqual(
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
    expect(jsonIn(text)).toEqual(value);
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
    expect([...shapeOf(value)]).toEqual(shape);
  });

  it('of very many fields shows a hundred of each object', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`k${at}`, at]));
    expect([...shapeOf(many)]).toHaveLength(100);
  });

  it.each<[Parameters<typeof hitsIn>[0], readonly string[] | null]>([
    [[{ title: 'A', url: 'u', snippet: 's' }], ['A - u - s']],
    [[{ title: '', name: 'N', link: 'l', description: 'd' }], ['N - l - d']],
    [
      [{ path: 'p', href: 'h', summary: 's' }, 7, { file: 'f', text: ' t\n\tu ' }],
      ['p - h - s', 'f - t u'],
    ],
    [[{ title: 3, content: 'c' }], ['c']],
    [[{ a: 1 }], null],
    [
      [{ a: 1 }, { title: 'A' }],
      ['', 'A'],
    ],
    [[], null],
    [['a'], null],
    [{ took: 3, none: [], words: ['x'], hits: [{ title: 'A' }], more: [{ title: 'B' }] }, ['A']],
    [{ hits: { title: 'A' } }, null],
    [[{ title: 'x'.repeat(161), url: 'x'.repeat(160) }], [`${'x'.repeat(158)} … - ${'x'.repeat(160)}`]],
  ])('%j holds these hits', (value, hits) => {
    expect(hitsIn(value)).toEqual(hits);
  });
});
