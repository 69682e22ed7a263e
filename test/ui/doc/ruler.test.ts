import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { toVisibleLine } from '#base/visible.js';
import { loadRuler } from '#ui/doc/ruler.js';
import { anyCharacter } from '../../support/any-character.js';
import { isWhole, runs } from '../../support/runs.js';

const FAMILY = '👨‍👩‍👧‍👦';
const E_ACUTE = 'e\u0301';
const ALL_BUT_IDEOGRAPHS = [
  [0x20, 0x3100],
  [0xa4d0, 0xac00],
  [0xd7a4, 0x10000],
  [0x1f000, 0x1fb00],
] as const;
/** Text with more marks than that on its letters need not be looked at to its end. */
const MOST_UNITS = 16;

const printable = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'word ',
        'é',
        '日本',
        FAMILY,
        '👍🏽',
        '🇫🇷',
        E_ACUTE,
        '\u0301',
        '\u200b',
        '\u200d',
        '\ufe0f',
        '한',
        'ﾞ',
        '…',
        '1\u20e3',
        '𝒳',
      ),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
    ),
  )
  .map((parts) => toVisibleLine(parts.join('')));

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['naïve', 5],
    ['日本語', 6],
    ['한국어', 6],
    ['ﾊﾝｶｸ', 4],
    [E_ACUTE, 1],
    ['🙂', 2],
    [FAMILY, 2],
    ['👍🏽', 2],
    ['🇫🇷', 2],
    ['1\ufe0f\u20e3', 2],
    ['a\u200bb', 2],
    ['␛[31m', 5],
    ['⏎ … █░', 6],
  ])('%j is %d cells', async (text, cells) => {
    expect((await loadRuler([text])).widthOf(text)).toBe(cells);
  });

  it('is the same whether or not the tables of wide characters were needed', async () => {
    const wrong: string[] = [];
    for (const [from, to] of ALL_BUT_IDEOGRAPHS) {
      for (let code = from; code < to; code += isWhole ? 1 : 3) {
        const character = toVisibleLine(String.fromCodePoint(code));
        const { widthOf } = await loadRuler([character]);
        if (widthOf(character) !== stringWidth(character)) wrong.push(code.toString(16));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a text cut to its place', () => {
  it.each([
    ['plain', 5, 'plain'],
    ['plain', 4, 'pla…'],
    ['plain', 1, '…'],
    ['plain', 0, ''],
    ['plain', -3, ''],
    ['', 0, ''],
    ['', 3, ''],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日', 1, '…'],
    ['a🙂b', 4, 'a🙂b'],
    ['a🙂b', 3, 'a…'],
    [FAMILY, 2, FAMILY],
    [`${FAMILY}!`, 2, '…'],
    [`${FAMILY}!`, 3, `${FAMILY}!`],
    [`${FAMILY}${FAMILY}`, 3, `${FAMILY}…`],
    [E_ACUTE, 1, E_ACUTE],
    [`${E_ACUTE}${E_ACUTE}${E_ACUTE}`, 3, `${E_ACUTE}${E_ACUTE}${E_ACUTE}`],
    [`${E_ACUTE}${E_ACUTE}${E_ACUTE}`, 2, `${E_ACUTE}…`],
  ])('%j in %d cells is %j', async (text, cells, cut) => {
    expect((await loadRuler([text])).cutTo(text, cells)).toBe(cut);
  });

  it('is never wider than its place', async () => {
    await fc.assert(
      fc.asyncProperty(printable, fc.integer({ min: -2, max: 40 }), async (text, cells) => {
        const { cutTo } = await loadRuler([text]);
        expect(stringWidth(cutTo(text, cells))).toBeLessThanOrEqual(Math.max(0, cells));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is whole where it fits, and its beginning with an ellipsis where it does not', async () => {
    await fc.assert(
      fc.asyncProperty(printable, fc.integer({ min: 1, max: 40 }), async (text, cells) => {
        const cut = (await loadRuler([text])).cutTo(text, cells);
        if (stringWidth(text) <= cells && text.length <= MOST_UNITS * cells) expect(cut).toBe(text);
        else if (cut !== text) expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is not cut through a character, however many marks stand on the one before it', async () => {
    for (let marks = 0; marks < 100; marks += 1) {
      const text = `a${'\u0301'.repeat(marks)}🙂🙂🙂`;
      expect((await loadRuler([text])).cutTo(text, 2)).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it('may be long', async () => {
    const text = '日本語'.repeat(1_000_000);
    expect((await loadRuler([text])).cutTo(text, 6)).toBe('日本…');
  });
});

describe('the beginning of a text that fits', () => {
  it.each([
    ['plain', 5, 'plain'],
    ['plain', 3, 'pla'],
    ['plain', 0, ''],
    ['plain', -1, ''],
    ['日本', 3, '日'],
    ['日本', 1, ''],
    [`${FAMILY}!`, 2, FAMILY],
    [`${E_ACUTE}a`, 1, E_ACUTE],
  ])('of %j in %d cells is %j', async (text, cells, start) => {
    expect((await loadRuler([text])).startOf(text, cells)).toBe(start);
  });

  it('is one, and no wider than its place', async () => {
    await fc.assert(
      fc.asyncProperty(printable, fc.integer({ min: -2, max: 40 }), async (text, cells) => {
        const start = (await loadRuler([text])).startOf(text, cells);
        expect(text.startsWith(start)).toBe(true);
        expect(stringWidth(start)).toBeLessThanOrEqual(Math.max(0, cells));
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the end of a text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, '…cd'],
    ['日本語', 4, '…語'],
    [`a${E_ACUTE}${E_ACUTE}`, 2, `…${E_ACUTE}`],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('of %j in %d cells is %j', async (text, cells, end) => {
    expect((await loadRuler([text])).cutStart(text, cells)).toBe(end);
  });

  it('is one, and no wider than its place', async () => {
    await fc.assert(
      fc.asyncProperty(printable, fc.integer({ min: -2, max: 40 }), async (text, cells) => {
        const cut = (await loadRuler([text])).cutStart(text, cells);
        expect(text.endsWith(cut.replace(/^…/, ''))).toBe(true);
        expect(stringWidth(cut)).toBeLessThanOrEqual(Math.max(0, cells));
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a text padded to its place', () => {
  it.each([
    ['ab', 4, 'left', 'ab  '],
    ['ab', 4, 'right', '  ab'],
    ['日', 4, 'left', '日  '],
    [E_ACUTE, 3, 'right', `  ${E_ACUTE}`],
    ['abcd', 4, 'left', 'abcd'],
    ['abcde', 4, 'right', 'abcde'],
    ['', 2, 'left', '  '],
    ['a', -1, 'left', 'a'],
  ] as const)('%j in %d cells, to the %s, is %j', async (text, cells, align, padded) => {
    expect((await loadRuler([text])).padTo(text, cells, align)).toBe(padded);
  });

  it('fills it, once it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(printable, fc.nat({ max: 40 }), fc.constantFrom('left', 'right'), async (text, cells, align) => {
        const { cutTo, padTo } = await loadRuler([text]);
        expect(stringWidth(padTo(cutTo(text, cells), cells, align))).toBe(cells);
      }),
      { numRuns: runs(1000) },
    );
  });
});
