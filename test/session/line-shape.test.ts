import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineShapes } from '#session/find/line-shape.js';
import { generateSession } from '../support/generate.js';
import { runs } from '../support/runs.js';

const shapes = new LineShapes(7n);
const shapeOfText = (text: string): number => {
  const bytes = new TextEncoder().encode(text);
  return shapes.shapeOf([bytes.subarray(0, 5), bytes.subarray(5)], bytes.length);
};
const shapeOf = (value: unknown): number => shapeOfText(`${JSON.stringify(value)}\n`);

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
      fc.property(fc.string({ unit: 'binary' }), fc.integer(), fc.jsonValue(), (text, at, free) => {
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
    ['space', '{"type" :"message"}'],
    ['a number that is no number', '{"a":1e999}'],
    ['a number too big to be whole', '{"a":12345678901234567890}'],
  ])('is not told of a line with %s', (_, text) => {
    expect(shapeOfText(text)).toBe(0);
  });

  it('depends on its seed', () => {
    const line = new TextEncoder().encode('{"a":1}');
    expect(new LineShapes(8n).shapeOf([line], line.length)).not.toBe(shapes.shapeOf([line], line.length));
  });

  it('is one of few in a session', () => {
    const lines = generateSession({ seed: 1, version: 3, entries: 400, odd: 0, transforms: 0 }).trimEnd().split('\n');
    expect(new Set(lines.map(shapeOfText)).size).toBeLessThan(lines.length / 4);
  });
});
