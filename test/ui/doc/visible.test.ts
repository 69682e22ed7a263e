import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toVisible, toVisibleJson, toVisibleLine } from '#base/visible.js';
import { isNarrow } from '#ui/doc/ruler.js';
import { runs } from '../../support/runs.js';

/** What must never reach a terminal, said by Unicode properties instead of by ranges. */
const DANGEROUS =
  /(?![\n\t])\p{Cc}|\p{Bidi_Control}|\p{Zl}|\p{Zp}|\p{Cs}|(?![\u180b-\u180f\u200c\u200d]|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]|(?<!\p{Ideographic})[\u{e0100}-\u{e01ef}]|(?:^|[\s\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f]/u;

const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0, max: 0xa0 }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        '\u202e',
        '\u2028',
        '\ud800',
        '\udc00',
        '🙂',
        '\u{e0041}',
        '\u{e007f}',
        '\u{e0100}',
        '\ufe0f',
        '\u3164',
        '葛',
        '\x1b[31m',
        '\r\n',
        'word',
      ),
    ),
  )
  .map((parts) => parts.join(''));

describe('visible text', () => {
  it('is any text that is known to be narrow', () => {
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    const narrow = units.filter(isNarrow);
    expect(narrow.length).toBeGreaterThan(1000);
    expect(narrow.filter((text) => toVisibleLine(text) !== text || DANGEROUS.test(text))).toEqual([]);
  });

  it.each([
    ['a colour', '\x1b[31mred\x1b[0m', '␛[31mred␛[0m'],
    ['a link', '\x1b]8;;http://x\x07y', '␛]8;;http://x␇y'],
    ['the clipboard', '\x1b]52;c;eHg=\x1b\\', '␛]52;c;eHg=␛\\'],
    ['a C1 control sequence', '\x9b31m\x9d0;title\x9c', '<U+009B>31m<U+009D>0;title<U+009C>'],
    ['NUL, backspace and DEL', 'a\0b\bc\x7f', 'a␀b␈c␡'],
    ['a carriage return', 'harmless\rpassword', 'harmless␍password'],
    ['vertical tab and form feed', '\v\f', '␋␌'],
    ['NEL', 'a\u0085b', 'a<U+0085>b'],
    ['bidi overrides', '\u202etxt.exe\u202c', '<U+202E>txt.exe<U+202C>'],
    ['bidi isolates', '\u2066a\u2069', '<U+2066>a<U+2069>'],
    ['bidi marks', '\u200e\u200f\u061c', '<U+200E><U+200F><U+061C>'],
    ['line separators', '\u2028\u2029', '<U+2028><U+2029>'],
    ['a byte order mark', '\ufeffx', '<U+FEFF>x'],
    ['tags that hide a text', 'a\u{e0068}\u{e0069}\u{e007f}', 'a<U+E0068><U+E0069><U+E007F>'],
    [
      'selectors that hide a text',
      'a\u{e0158}\u{e0159}葛\u{e0100}\u{e0101}',
      'a<U+E0158><U+E0159>葛\u{e0100}<U+E0101>',
    ],
    ['selectors of signs that hide a text', '\ufe00a\ufe0f\ufe01 \ufe02', '<U+FE00>a\ufe0f<U+FE01> <U+FE02>'],
    ['letters that show nothing', 'a\u3164b\u115f\u034f', 'a<U+3164>b<U+115F><U+034F>'],
    ['lone surrogates', '\ud83dx\ude00', '<U+D83D>x<U+DE00>'],
    ['surrogates in the wrong order', '\ude00\ud83d', '<U+DE00><U+D83D>'],
  ])('shows %s', (_name, text, shown) => {
    expect(toVisible(text)).toBe(shown);
  });

  it.each([
    '',
    'plain',
    'two\nlines\tand a tab',
    'naïve 日本語 🙂 👩‍👩‍👧 e\u0301',
    'עברית',
    '\u00a0\u00a1',
    '葛\u{e0100}城',
    '❤\ufe0f',
  ])('leaves %j alone', (text) => {
    expect(toVisible(text)).toBe(text);
  });

  it('holds nothing that is dangerous, and is not changed again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(toVisible(text)).not.toMatch(DANGEROUS);
        expect(toVisible(toVisible(text))).toBe(toVisible(text));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is the text itself where nothing is dangerous', () => {
    fc.assert(
      fc.property(
        anyText.filter((text) => !DANGEROUS.test(text)),
        (text) => {
          expect(toVisible(text)).toBe(text);
        },
      ),
    );
  });
});

describe('a visible line', () => {
  it.each([
    ['one\ntwo', 'one ⏎ two'],
    ['one\r\n\r\n  two', 'one ⏎ two'],
    ['one  \n\ttwo', 'one ⏎ two'],
    ['one \n two \n three ', 'one ⏎ two ⏎ three'],
    ['\nlast\n', ' ⏎ last ⏎ '],
    ['a\tb', 'a b'],
    ['a  b', 'a  b'],
    ['\x1b[1m\n', '␛[1m ⏎ '],
  ])('%j becomes %j', (text, shown) => {
    expect(toVisibleLine(text)).toBe(shown);
  });

  it('is one line, and holds nothing that is dangerous', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(toVisibleLine(text)).not.toMatch(/[\n\t]/);
        expect(toVisibleLine(text)).not.toMatch(DANGEROUS);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('may be long, and hold little but spaces', () => {
    const spaces = ' '.repeat(1_000_000);
    expect(toVisibleLine(`a${spaces}b\nc`)).toBe(`a${spaces}b ⏎ c`);
  });
});

describe('visible JSON', () => {
  it.each([
    [{ text: '\x7f\x9b' }, String.raw`{"text":"\u007f\u009b"}`],
    [['\u202e', '\ufeff', '\u2028'], String.raw`["\u202e","\ufeff","\u2028"]`],
    ['\u{e0041}', String.raw`"\udb40\udc41"`],
    ['\ud800', String.raw`"\ud800"`],
    ['\n\t 🙂', String.raw`"\n\t 🙂"`],
  ])('of %j is %s', (value, json) => {
    expect(toVisibleJson(JSON.stringify(value))).toBe(json);
  });

  it('means the same and holds nothing that is dangerous', () => {
    const value = fc.oneof(anyText, fc.array(anyText), fc.dictionary(anyText, anyText), fc.jsonValue());
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (data, indent) => {
        const json = JSON.stringify(data, null, indent);
        expect(toVisibleJson(json)).not.toMatch(DANGEROUS);
        expect(JSON.parse(toVisibleJson(json))).toEqual(JSON.parse(json));
      }),
      { numRuns: runs(1000) },
    );
  });
});
