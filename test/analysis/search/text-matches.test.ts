import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSearchPattern } from '#analysis/search/search-pattern.js';
import { findTextMatches } from '#analysis/search/text-matches.js';
import { CtxError } from '#base/errors.js';

const AS_IT_IS = { isFixed: false, ignoresCase: false };

function found(text: string, pattern: RegExp, context = 0): readonly string[] {
  return Array.from(
    findTextMatches(text, pattern, context),
    ({ lineInText, start, end }) => `${lineInText}:${start}-${end}`,
  );
}

describe('matches', () => {
  it.each<[string, RegExp, readonly string[]]>([
    ['a b a', /a/g, ['1:0-1', '1:4-5']],
    ['a\nb\na\n', /a/g, ['1:0-1', '3:0-1']],
    ['x\n\ny', /^$/g, ['2:0-0']],
    ['x\n', /^$/g, ['2:0-0']],
    ['', /^$/g, ['1:0-0']],
    ['aab', /x*/g, ['1:0-0']],
    ['aab', /a*/g, ['1:0-2']],
    ['🙂🙂', /(?:)/gu, ['1:0-0']],
    ['a\nb', /a\nb/g, []],
    ['ab\ncd', /^.|.$/g, ['1:0-1', '1:1-2', '2:0-1', '2:1-2']],
  ])('of %j and %s', (text, pattern, expected) => {
    expect(found(text, pattern)).toEqual(expected);
  });

  it('come with the lines around them', () => {
    const [match] = findTextMatches('1\n2\n3\nx\n5\n6\n7', /x/g, 2);
    expect(match).toMatchObject({ before: ['2', '3'], after: ['5', '6'] });
    expect([...findTextMatches('x', /x/g, 2)]).toMatchObject([{ before: [], after: [] }]);
    expect([...findTextMatches('\nx\n', /x/g, 2)]).toMatchObject([{ before: [''], after: [''] }]);
  });

  it('hold what they matched, of long lines too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('ab', '🙂', '\n', 'a'.repeat(700), '日本', '\r', ' ')),
        fc.constantFrom('ab', '🙂', 'a+', '本日?'),
        (parts, source) => {
          const text = parts.join('');
          const regex = new RegExp(source, 'gu');
          const all = [...findTextMatches(text, regex, 0)];
          const lines = text.split('\n');
          const expected = lines.flatMap((line) =>
            [...line.matchAll(new RegExp(source, 'gu'))].map(([match]) => match),
          );
          expect(all.map((match) => match.text.slice(match.start, match.end))).toEqual(expected);
          for (const match of all) {
            const line = lines[match.lineInText - 1]!;
            expect(line.startsWith(match.text, match.textStart)).toBe(true);
            expect(match.text).not.toMatch(/\p{Surrogate}/u);
            expect(match.text.length).toBeLessThanOrEqual(Math.max(1002, match.end - match.start + 2));
          }
        },
      ),
    );
  });

  it('of one long line take no more room than a few lines each', () => {
    const all = [...findTextMatches('ab'.repeat(100_000), /b/g, 0)];
    expect(all).toHaveLength(100_000);
    expect(all.at(-1)).toMatchObject({ textStart: 199_500, start: 499, end: 500 });
  });
});

describe('a pattern', () => {
  it('is read in Unicode mode where it can be', () => {
    expect(readSearchPattern('^.$', AS_IT_IS).regex.test('🙂')).toBe(true);
    expect(readSearchPattern('\\-x', AS_IT_IS).regex.flags).toBe('g');
    expect(() => readSearchPattern('(', AS_IT_IS)).toThrow(CtxError);
  });

  it('is taken literally where that is asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (raw, around) => {
        const { regex } = readSearchPattern(raw, { isFixed: true, ignoresCase: false });
        expect(regex.exec(around + raw)?.[0]).toBe(raw);
        regex.lastIndex = 0;
        expect(regex.test(around)).toBe(around.includes(raw));
      }),
    );
  });

  it.each([
    ['hunter2', true],
    ['two words, and-more:', true],
    ['a.c', false],
    ['src/a', false],
    ['"', false],
    ['naïve', false],
    ['', false],
  ])('%j can be looked for in the file: %s', (raw, isLiteral) => {
    expect(readSearchPattern(raw, AS_IT_IS).literal).toBe(isLiteral ? raw : null);
    expect(readSearchPattern(raw, { isFixed: false, ignoresCase: true }).literal).toBeNull();
  });
});
