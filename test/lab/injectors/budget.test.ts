import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTextTokens, findCutLevel, fitText } from '#lab/injectors/text-budget.js';
import { anyCharacter } from '../../support/any-character.js';

const LONELY = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const text = fc
  .array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constant('\n'), fc.lorem()), { maxLength: 40 })
  .map((all) => all.join(''));

describe('a text in its budget', () => {
  it('is never longer than that, and stays as it is where it fits', () => {
    fc.assert(
      fc.property(text, fc.nat(300), (whole, maxTokens) => {
        const { text: shown, cutFrom } = fitText(whole, maxTokens);
        expect(countTextTokens(shown)).toBeLessThanOrEqual(maxTokens);
        expect(cutFrom).toBe(countTextTokens(whole) <= maxTokens ? null : countTextTokens(whole));
        if (cutFrom === null) expect(shown).toBe(whole);
      }),
    );
  });

  it('is cut at the end of a line, and says what was cut', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at} of a long text`).join('\n');
    const { text: shown, cutFrom } = fitText(lines, 100);
    expect(cutFrom).toBe(countTextTokens(lines));
    expect(shown.split('\n').at(-1)).toBe(`[cut: ${countTextTokens(lines)} tokens, and the budget is 100]`);
    for (const line of shown.split('\n').slice(0, -1)) expect(lines.split('\n')).toContain(line);
  });

  it('is never cut inside a character', () => {
    for (let at = 12; at < 40; at += 1) {
      const { text: shown } = fitText(`${'x'.repeat(at % 5)}${'😀'.repeat(200)}`, at);
      expect(shown).not.toMatch(LONELY);
    }
  });
});

describe('a level for several texts', () => {
  it('leaves the short ones whole, and all of them together within the budget', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), fc.nat(5000), (lengths, maxTokens) => {
        const level = findCutLevel(lengths, maxTokens);
        const sum = lengths.reduce((all, length) => all + Math.min(length, level), 0);
        expect(sum).toBeLessThanOrEqual(maxTokens);
        // One more would not fit.
        if (level !== Infinity)
          expect(lengths.reduce((all, length) => all + Math.min(length, level + 1), 0)).toBeGreaterThan(
            maxTokens - lengths.length,
          );
      }),
    );
  });
});
