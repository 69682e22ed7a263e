import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiteralFinder } from '#session/find/literal-finder.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { bytes } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const finder = new LiteralFinder();
/** The size of the pieces in which the finder reads. */
const PIECE = 1 << 19;

function mayHold(text: string, literal: string): boolean {
  return finder.mayHold(toByteSource(bytes(text)), literal);
}

describe('the finder of a text', () => {
  it('finds what a plain search finds, and escapes of printable characters, across the ends of pieces', () => {
    const part = fc.constantFrom('a', 'b', 'ab', 'ba', 'é', '\\', 'u', '\\u00', '\\u0', '6', '1', 'aaaaaaaaaaaaaaaa');
    const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
    const literal = fc.stringMatching(/^[ab6]{1,20}$/);
    const ends = fc.constantFrom(0, PIECE, 2 * PIECE);
    const before = fc.nat(60);
    fc.assert(
      fc.property(text, literal, ends, before, (last, wanted, end, back) => {
        const content = '.'.repeat(Math.max(0, end - back)) + last;
        const isThere = content.includes(wanted) || /\\u00[2-7]/.test(content);
        expect(mayHold(content, wanted)).toBe(isThere);
      }),
      { numRuns: runs(5000) },
    );
  });

  it('does not find what an earlier source had after the end of this one', () => {
    expect(mayHold('0123456789 harbour', 'harbour')).toBe(true);
    expect(mayHold('0123456789 har', 'harbour')).toBe(false);
    expect(mayHold('', 'h')).toBe(false);
  });

  it('compares the beginning of a very long text', () => {
    const long = 'ab'.repeat(3000);
    expect(mayHold(`.${long}`, long)).toBe(true);
    expect(mayHold(`.${long.slice(0, 4000)}`, long)).toBe(false);
  });
});
