import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonBytes } from '../../src/render/json-bytes.js';
import { visibleJson } from '../../src/render/visible.js';
import { runs } from '../support/runs.js';

type Piece =
  | { readonly method: 'integer' | 'time' | 'hex'; readonly value: number }
  | { readonly method: 'text' | 'rare'; readonly value: string | null };

const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.record({ method: fc.constant('integer' as const), value: fc.maxSafeInteger() }),
  fc.record({ method: fc.constant('hex' as const), value: fc.integer({ min: 0, max: 0xffffffff }) }),
  fc.record({
    method: fc.constant('time' as const),
    value: fc.oneof(
      fc.constant(Number.NaN),
      fc
        .date({ noInvalidDate: true, min: new Date('-000100-01-01'), max: new Date('+012000-01-01') })
        .map((date) => date.getTime()),
    ),
  }),
  fc.record({
    method: fc.constantFrom('text' as const, 'rare' as const),
    value: fc.oneof(
      fc.constantFrom(null, 'message', '\u202e', '\ud800'),
      fc.string({ unit: 'binary' }),
      fc.nat(200_000).map((length) => 'é'.repeat(length)),
    ),
  }),
);

function write(json: JsonBytes, { method, value }: Piece): void {
  switch (method) {
    case 'text':
    case 'rare':
      json.text(value, method === 'rare');
      break;
    default:
      json[method](value);
  }
}

function expected({ method, value }: Piece): string {
  switch (method) {
    case 'integer':
      return String(value);
    case 'hex':
      return JSON.stringify(value.toString(16).padStart(8, '0'));
    case 'time':
      return Number.isNaN(value) ? 'null' : JSON.stringify(new Date(value));
    default:
  }
  return visibleJson(JSON.stringify(value));
}

it('JSON is written as JSON.stringify writes it', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60, size: 'max' }), (pieces) => {
      const json = new JsonBytes();
      const written: Uint8Array[] = [];
      for (const part of pieces) {
        write(json, part);
        if (json.isFull) written.push(json.take().slice());
      }
      written.push(json.take().slice());
      expect(Buffer.concat(written).toString()).toBe(pieces.map(expected).join(''));
    }),
    { numRuns: runs(300) },
  );
});
