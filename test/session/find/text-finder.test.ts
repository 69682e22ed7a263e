import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Anchor, parseAnchor } from '#session/find/anchor.js';
import { TextFinder } from '#session/find/text-finder.js';
import { addTo } from '../../../src/base/maps.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { bytes } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

/** Common and rare letters, windows that are shared, runs and none, beginnings of words, what ends in any byte. */
const ANCHORS = [
  'AKIA[A-Z2-7]{16}',
  'token',
  'oken=',
  '\\bsk-[A-Za-z0-9]{20}',
  '\\bsk-ant-[A-Za-z0-9_-]{24}',
  'ghp_[A-Za-z0-9_]{36}',
  '://[^\\s:@/]{0,20}:[^\\s@/]{3,30}@',
  'PRIVATE KEY-----',
  ':AA[A-Za-z0-9_-]{33}',
  'assword[\\\\"]{0,4}[:=]{1}[ ]{0,2}["]{1}[^"]{4}',
  'a.b[0-9]{2}.[0-9]{2}',
  'eee',
];

interface Found {
  readonly offset: number;
  readonly anchor: number;
}

/** What is looked for, place by place, with regular expressions that give nothing back either. */
function slowly(content: Uint8Array): readonly Found[] {
  const text = Buffer.from(content).toString('latin1');
  const all = ANCHORS.flatMap((source, anchor) => {
    const parsed = parseAnchor(source);
    const found: Found[] = [];
    for (let at = text.indexOf(parsed.text); at !== -1; at = text.indexOf(parsed.text, at + 1))
      if (!(parsed.beginsWord && WITHIN_WORD.test(text.slice(Math.max(0, at - 64), at))) && goesOn(text, at, parsed))
        found.push({ offset: at, anchor });
    return found;
  });
  return inOrder(all);
}

/** A letter, digit or _ that is neither of an escape nor of a colour. */
const WITHIN_WORD = /(?<!\\)(?<!\\[^]{4})(?<!%(?=[0-9a-fA-F]{2})[^])(?<!\[[0-9;?]{0,20}(?=[A-Za-z]))[A-Za-z0-9_]$/;

function goesOn(text: string, start: number, { text: literal, rest }: Anchor): boolean {
  let at = start + literal.length;
  for (const { characters, least, most } of rest.steps) {
    let count = 0;
    while (count < most) {
      const unit = unitAt(text, at, (one) => isOf(characters, one));
      if (!unit) break;
      at += unit.length;
      count += unit.counts;
    }
    if (count < least) return false;
  }
  return true;
}

/** The next character of a class, as it is or escaped; a colour or a line break does not count. */
function unitAt(text: string, at: number, isIn: (one: string) => boolean): { length: number; counts: number } | null {
  const colour = matchAt(/\\{1,64}(?:u001[bB]|x1[bB]|033|e)\[[0-9;?]{0,20}[A-Za-z]/y, text, at);
  if (colour) return { length: colour[0].length, counts: 0 };
  const one = text[at] ?? '\n';
  if (isIn(one)) return { length: 1, counts: 1 };
  for (const [pattern, read] of WRITTEN) {
    const match = matchAt(pattern, text, at);
    const character = match && read(match[1] ?? '');
    if (!match || !character || character === '\0') continue;
    if (/[\n\r]/.test(character)) return { length: match[0].length, counts: 0 };
    return isIn(character) ? { length: match[0].length, counts: 1 } : null;
  }
  return null;
}

const fromHex = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { 'quot;': '"', 'apos;': "'", 'lt;': '<', 'gt;': '>' };
const WRITTEN: readonly (readonly [RegExp, (written: string) => string])[] = [
  [/%(?:25(?!00)(?=[0-9a-fA-F]{2})){0,4}([0-9a-fA-F]{2})/y, fromHex],
  [/\\{1,64}([nrt"'/`])/y, (letter) => CONTROLS[letter] ?? letter],
  [/\\{1,64}u00([0-7][0-9a-fA-F])/y, fromHex],
  [
    /&(?:amp;){0,4}#([1-9]\d{0,2}|0\d{0,3}|\d{4});/y,
    (code) => (Number(code) < 128 ? String.fromCharCode(Number(code)) : ''),
  ],
  [/&(?:amp;){0,4}#x([0-9a-fA-F]{1,4});/y, (hex) => (Number.parseInt(hex, 16) < 128 ? fromHex(hex) : '')],
  [/&(?:amp;){0,4}(quot;|apos;|lt;|gt;)/y, (name) => ENTITIES[name] ?? ''],
  [/&(?:amp;){1,4}/y, () => '&'],
];

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A class that says what it does not hold has bytes beyond ASCII, and none has a newline. */
function isOf(characters: string, one: string): boolean {
  if (one === '\n') return false;
  if (one >= '\x80') return characters.startsWith('[^');
  const pattern = classes.get(characters) ?? new RegExp(characters, 'u');
  classes.set(characters, pattern);
  return pattern.test(one);
}

const classes = new Map<string, RegExp>();

const finder = new TextFinder(ANCHORS);

function fast(content: Uint8Array, start = 0): readonly Found[] {
  const found: Found[] = [];
  finder.find(toByteSource(content), start, content.length, (offset, anchor) => void found.push({ offset, anchor }));
  return inOrder(found);
}

function inOrder(found: readonly Found[]): readonly Found[] {
  return found.toSorted((a, b) => a.offset - b.offset || a.anchor - b.anchor);
}

/** Pieces of anchors, and what stands around them. */
const PIECES =
  'AKIA AKI ABCDEFGHIJKLMNOP token= oken = sk- -sk-ant- abcdefghij0123456789 ABCDEFGHIJ0123456789_- ghp_ :// : @ user secret PRIVATE KEY----- :AA assword Password":"hunter assword=" abcd a.b12.34 a.b1 eee eeee é'.split(
    ' ',
  );
const piece = fc.oneof(
  fc.constantFrom(...PIECES),
  fc.constantFrom(' ', '\n', '\\n', '\\\\n', '\\', '"', '\0', 'é', '🙂', '-', '_'),
  fc.constantFrom(
    '%3D',
    '%253a',
    '%4',
    '&quot;',
    '&amp;#34;',
    '&#x3d;',
    '&amp;',
    '\\u001b[1;33m',
    '\\u003d',
    '[0m',
    '\\t',
    '\\"',
  ),
  fc.string({ maxLength: 20 }),
);
const content = fc.array(piece, { maxLength: 60 }).map((pieces) => bytes(pieces.join('')));

describe('the text finder finds what regular expressions find', () => {
  it('in any text', () => {
    fc.assert(
      fc.property(content, (text) => {
        expect(fast(text)).toEqual(slowly(text));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('in any bytes', () => {
    const noise = fc.uint8Array({ maxLength: 300, min: 0x20, max: 0xff });
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, content), { maxLength: 8 }), (parts) => {
        const text = Buffer.concat(parts);
        expect(fast(text)).toEqual(slowly(text));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('wherever they stand in the pieces that are read', () => {
    const near = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -2200, max: 2200 }), content);
    const file = Buffer.alloc(3_300_000, ' ');
    fc.assert(
      fc.property(fc.array(near, { minLength: 1, maxLength: 20 }), (places) => {
        const text = Buffer.from(file);
        for (const [piecesBefore, distance, part] of places) text.set(part, piecesBefore * (1 << 20) - 2048 + distance);
        expect(fast(text)).toEqual(slowly(text));
      }),
      { numRuns: runs(10) },
    );
  });

  it('more often than there is room for at once', () => {
    const text = bytes('token=eee'.repeat(100_000));
    expect(fast(text)).toEqual(slowly(text));
  });
});

describe('the text finder', () => {
  it('looks at a part of a file', () => {
    expect(fast(bytes('token token'), 3)).toEqual([{ offset: 6, anchor: 1 }]);
  });

  it('finds nothing of the last file in the next', () => {
    fast(bytes(`ghp_${'a'.repeat(36)}`));
    expect(fast(bytes('ghp_'))).toEqual([]);
    expect(fast(bytes(''))).toEqual([]);
  });

  it.each(['é is short', 'a'.repeat(2_000_000)])('searches a text', (filler) => {
    const found: number[] = [];
    finder.findInText(`${filler} token`, (_offset, anchor) => void found.push(anchor));
    expect(found).toEqual([1]);
  });

  it.each(['ab', 'naïve', 'x'.repeat(60), 'abc[a]{2000}'])('refuses %s, which is no anchor', (anchor) => {
    expect(() => new TextFinder([anchor])).toThrow(RangeError);
  });

  it('reports more strings of one window, and more of them, than there is room for at once', () => {
    const count = 700;
    const full = new TextFinder(Array.from({ length: count }, (_, at) => `QQQ[a]{${at + 1}}`));
    const lines = bytes(`QQQ${'a'.repeat(count)}\n`.repeat(30));
    const found = new Map<number, number[]>();
    full.find(toByteSource(lines), 0, lines.length, (offset, anchor) => addTo(found, anchor, offset));
    const starts = Array.from({ length: 30 }, (_, at) => at * (count + 4));
    expect([...found.keys()].toSorted((a, b) => a - b)).toEqual([...Array(count).keys()]);
    expect([...found.values()].every((offsets) => offsets.join() === starts.join())).toBe(true);
  });

  it('refuses more than there is room for', () => {
    const many = (count: number, form: (at: number) => string): string[] =>
      Array.from({ length: count }, (_, at) => form(at));
    expect(() => new TextFinder(many(900, (at) => `anchor${at}`))).toThrow('too many');
    expect(() => new TextFinder(many(700, (at) => `Q${at}Z[a]{${at + 1}}b[c]d`))).toThrow('too many');
  });
});
