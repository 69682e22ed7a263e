import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toVisibleJson } from '#base/visible.js';
import { formatPayload } from '#cli/commands/export/formats/payload.js';
import { renderJson } from '#ui/doc/json.js';
import { canonicalJson } from '../../../src/base/canonical-json.js';
import { anyCharacter } from '../../support/any-character.js';

const text = fc.string({ unit: anyCharacter });
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, fc.jsonValue(), text, fc.constant(undefined), tie('list'), tie('object')),
  list: fc.array(tie('value')),
  object: fc.dictionary(text, tie('value')),
}));

describe('JSON in pieces', () => {
  it('is what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.record({ a: value, b: value }), (data) => {
        for (const isTerminal of [true, false]) {
          const written = JSON.stringify(data, null, isTerminal ? 2 : 0);
          expect([...renderJson(data, { isTerminal })].join('')).toBe(`${toVisibleJson(written)}\n`);
        }
      }),
    );
  });

  it('is canonical JSON on one line', () => {
    fc.assert(
      fc.property(fc.record({ b: value, a: value }), (data) => {
        expect([...formatPayload(data)].join('')).toBe(`${toVisibleJson(canonicalJson(data))}\n`);
      }),
    );
  });

  it('never holds the text of many messages', () => {
    const messages = Array.from({ length: 100 }, () => ({ role: 'user', content: 'x'.repeat(10_000) }));
    const lengths = [...formatPayload({ messages })].map((piece) => piece.length);
    expect(lengths.length).toBeGreaterThan(10);
    expect(Math.max(...lengths)).toBeLessThan(100_000);
  });

  it.each([1023, 1024, 1025, 2048, 100_000])('never holds the text of a list of %i items', (length) => {
    const list = Array.from({ length }, (_, at) => (at % 7 === 0 ? undefined : `item\u007f ${at}`));
    const data = { a: { b: { c: list, d: new Set(list) } } };
    const pieces = [...formatPayload(data)];
    const written = canonicalJson({ a: { b: { c: list, d: [...new Set(list)] } } });
    expect(pieces.join('')).toBe(`${toVisibleJson(written)}\n`);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(100_000);
  });
});
