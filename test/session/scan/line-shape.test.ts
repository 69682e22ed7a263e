import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineScanner, RECORD_WORD, WORDS_PER_RECORD } from '#session/scan/line-scanner.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { anyCharacter } from '../../support/any-character.js';
import { bytes, entry } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const scanner = new LineScanner(7);

/** The shapes of some lines; -1 for a line that the scanner does not confirm. */
function shapesOf(text: string, by = scanner): readonly number[] {
  const content = bytes(text);
  const [records] = by.scan(toByteSource(content), 0, content.length, true);
  return Array.from({ length: records?.count ?? 0 }, (_, at) =>
    records?.words[at * WORDS_PER_RECORD + RECORD_WORD.flags] === 0
      ? -1
      : (records?.doubles[(at * WORDS_PER_RECORD + RECORD_WORD.shape) / 2] ?? -1),
  );
}

const LINE = JSON.stringify(entry('custom', '0000000a', '0000000b', { x: 'VALUE' }));
const shapeOfText = (text: string, by = scanner): number =>
  shapesOf(`${LINE.replace('"VALUE"', () => text)}\n`, by)[0] ?? -1;
const shapeOf = (value: unknown): number => shapeOfText(JSON.stringify(value));

const FREE = new Set(['arguments', 'details', 'data', 'parameters']);
const TAGS = new Set(['type', 'role', 'op']);

/** The same, slowly. */
function skeleton(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return TAGS.has(key) ? `=${value}` : value === '' ? 'empty' : 'text';
  if (typeof value === 'number') return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (FREE.has(key)) return Array.isArray(value) ? 'list' : 'object';
  if (Array.isArray(value)) return value.map((item) => skeleton(item));
  return { fields: Object.entries(value).map(([name, field]) => [name, skeleton(field, name)]) };
}

const key = fc.constantFrom(
  'type',
  'role',
  'op',
  'arguments',
  'details',
  'data',
  'parameters',
  'content',
  'a',
  'datas',
  '',
);
const word = fc.constantFrom('', 'message', 'user', '{', '}', '"', '\\', '\\"', ':', ',', 'x'.repeat(70), '\n', '🙂');
const number = fc.constantFrom(0, -1, 1.5, 123_456, 1e-9, 0.1 + 0.2);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    word,
    number,
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 3, size: 'max' }),
    fc
      .uniqueArray(fc.tuple(key, tie('value')), { maxLength: 3, size: 'max', selector: ([name]) => name })
      .map(Object.fromEntries),
  ),
}));

describe('the shape of a line', () => {
  it('is equal for lines of the same skeleton, and for no others', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [a, b] = [shapeOf(one), shapeOf(other)];
        if (a === 0 || b === 0) return;
        expect(Math.min(a, b)).toBeGreaterThan(0);
        expect(a === b).toBe(JSON.stringify(skeleton(one)) === JSON.stringify(skeleton(other)));
      }),
      { numRuns: runs(5000) },
    );
  });

  it('is equal for all that texts and numbers may say', () => {
    const same = (text: string, at: number, free: unknown) => ({
      type: 'message',
      text: `x${text}`,
      at,
      data: [free],
      role: 'user',
    });
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer(), fc.jsonValue(), (text, at, free) => {
        const shape = shapeOf(same(text, at, free));
        expect(shape).not.toBe(0);
        expect(shape).toBe(shapeOf(same('', 0, 'nothing')));
      }),
    );
  });

  it('tells kinds apart', () => {
    const kinds = [
      '',
      'a',
      0,
      true,
      false,
      null,
      [],
      {},
      [0],
      [[]],
      ['a', 'b'],
      { a: 0 },
      { b: 0 },
      { type: 'a' },
      { type: 'b' },
    ];
    expect(new Set(kinds.map(shapeOf)).size).toBe(kinds.length);
  });

  it.each([
    ['an escaped key', '{"\\u0074ype":"message"}'],
    ['an escaped word', '{"type":"mess\\u0061ge"}'],
    ['a number that is no number', '{"a":1e999}'],
    ['a number too big to be whole', '{"a":12345678901234567890}'],
  ])('is not told of a line with %s', (_, text) => {
    expect(shapeOfText(text)).toBe(0);
  });

  it('is equal with and without space', () => {
    expect(shapeOfText('{ "type" : "message",\t"a":[ 1 ,2] }')).toBe(shapeOf({ type: 'message', a: [1, 2] }));
  });

  it('tells messages apart by their role, and by what follows it', () => {
    const message = (role: string, more: object): string =>
      `${JSON.stringify(entry('message', '0000000a', '0000000b', { message: { role, ...more } }))}\n`;
    const contents = [{ content: 'a' }, { content: '' }, { content: [] }, { content: 'a', toolName: 'read' }];
    const roles = ['user', 'assistant', 'toolResult'];
    const lines = roles.flatMap((role) => contents.map((more) => message(role, more)));
    const found = shapesOf(lines.join(''));
    expect(new Set(found).size).toBe(lines.length);
    expect(Math.min(...found)).toBeGreaterThan(0);
    expect(shapesOf(message('user', { content: 'another text' }))).toEqual(shapesOf(lines[0] ?? ''));
  });

  it('is determined only where it is wanted', () => {
    const content = bytes(`${LINE}\n`);
    const [records] = scanner.scan(toByteSource(content), 0, content.length);
    expect(records?.words[RECORD_WORD.flags]).not.toBe(0);
    expect(records?.doubles[RECORD_WORD.shape / 2]).toBe(0);
  });

  it('depends on its seed', () => {
    expect(shapeOfText('1', new LineScanner(8))).not.toBe(shapeOfText('1'));
  });

  it('is one of few in a session', () => {
    const found = shapesOf(generateSession({ seed: 1, version: 3, entries: 400, odd: 0, transforms: 0 }));
    expect(new Set(found).size).toBeLessThan(found.length / 4);
  });
});
