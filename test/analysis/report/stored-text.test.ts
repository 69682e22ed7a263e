import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLengthLimit } from '#analysis/report/page-blocks.js';
import { limitText } from '#analysis/report/stored-text.js';
import { anyCharacter } from '../../support/any-character.js';

describe('the longest length that fits', () => {
  it('lets all texts in together, and nearly no longer one would', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000), { minLength: 1 }), fc.nat(50_000), (lengths, most) => {
        const longest = findLengthLimit(Float64Array.from(lengths), most);
        const sumAt = (limit: number): number => lengths.reduce((sum, length) => sum + Math.min(length, limit), 0);
        expect(sumAt(longest)).toBeLessThanOrEqual(most);
        if (longest < Infinity) expect(sumAt(longest + 1)).toBeGreaterThan(most);
      }),
    );
  });
});

describe('a text with a limit', () => {
  it('keeps its beginning, within the limit, with the length of all of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(60), (text, most) => {
        const cut = limitText(text, most);
        if (typeof cut === 'string') {
          expect([cut, Buffer.byteLength(text) <= most]).toEqual([text, true]);
          return;
        }
        expect(text.startsWith(cut[0])).toBe(true);
        expect(cut[1]).toBe(text.length);
        expect(Buffer.byteLength(text)).toBeGreaterThan(most);
      }),
    );
  });

  it('is not cut inside a character', () => {
    expect(limitText('🙂🙂🙂🙂', 6)).toEqual(['🙂', 8]);
  });
});
