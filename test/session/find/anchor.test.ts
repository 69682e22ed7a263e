import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildBitmap, parseAnchor, readAnchorText } from '#session/find/anchor.js';
import { chooseWindows, listWindows, toShare } from '#session/find/window.js';
import { runs } from '../../support/runs.js';

function codes(text: string): readonly number[] {
  return Array.from(text, (char) => char.charCodeAt(0));
}

describe('an anchor', () => {
  it.each<[string, string, boolean, readonly (readonly [string, number, number])[], number]>([
    ['token', 'token', false, [], 0],
    [String.raw`\btoken`, 'token', true, [], 0],
    ['AKIA[A-Z2-7]{16}', 'AKIA', false, [['[A-Z2-7]', 16, 16]], 16],
    [
      '://[^:]{0,20}:[^@]{3,30}@',
      '://',
      false,
      [
        ['[^:]', 0, 20],
        ['[\\u{3a}]', 1, 1],
        ['[^@]', 3, 30],
        ['[\\u{40}]', 1, 1],
      ],
      0,
    ],
    [
      String.raw`\bsk-[a-z]{20}[0-9]{1,4}[A-Z]{9}`,
      'sk-',
      true,
      [
        ['[a-z]', 20, 20],
        ['[0-9]', 1, 4],
        ['[A-Z]', 9, 9],
      ],
      21,
    ],
    [
      String.raw`key[\w-]{3}x-[ ]y`,
      'key',
      false,
      [
        [String.raw`[\w-]`, 3, 3],
        ['[\\u{78}]', 1, 1],
        ['[\\u{2d}]', 1, 1],
        ['[ ]', 1, 1],
        ['[\\u{79}]', 1, 1],
      ],
      5,
    ],
    [String.raw`abc[\]\\]{2}`, 'abc', false, [[String.raw`[\]\\]`, 2, 2]], 0],
    ['a.b[0-9]', 'a.b', false, [['[0-9]', 1, 1]], 1],
  ])('%s', (anchor, text, beginsWord, steps, run) => {
    const parsed = parseAnchor(anchor);
    expect(parsed).toMatchObject({ text, beginsWord, rest: { run } });
    expect(parsed.rest.steps.map(({ characters, least, most }) => [characters, least, most])).toEqual(steps);
    expect(readAnchorText(anchor)).toBe(text);
  });

  it.each(['ab', 'ab[c]{9}', 'naïve', 'tab\tbed', 'x'.repeat(49), String.raw`\bab`, ''])('is not %j', (anchor) => {
    expect(() => parseAnchor(anchor)).toThrow(new RangeError(`"${anchor}" is no anchor`));
  });

  it('has a text and a rest of a certain length', () => {
    expect(parseAnchor('x'.repeat(48)).text).toHaveLength(48);
    expect(parseAnchor('abc[x]{1800}').rest.run).toBe(1800);
    expect(parseAnchor('abc[x]{9,1799}y').rest.steps).toHaveLength(2);
    expect(() => parseAnchor('abc[x]{9,1799}yz')).toThrow(new RangeError('"[x]{9,1799}yz" is too long'));
  });
});

describe('a class', () => {
  const bytesOf = (characters: string): readonly number[] => {
    const bitmap = buildBitmap(characters);
    expect(bitmap).toHaveLength(32);
    return Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => (bitmap[byte >> 3]! >> (byte & 7)) & 1);
  };
  const BEYOND = Array.from({ length: 128 }, (_, at) => at + 128);
  const ASCII = Array.from({ length: 128 }, (_, at) => at);

  it.each<[string, readonly number[]]>([
    ['[a-f0]', codes('0abcdef')],
    ['[\\w-]', codes('-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz')],
    ['[\\n\\r]', [13]],
    ['[\\x00-\\x7f]', ASCII.filter((byte) => byte !== 10)],
    ['[^"]', [...ASCII.filter((byte) => byte !== 10 && byte !== 0x22), ...BEYOND]],
    ['[^\\s\\S]', []],
  ])('%s holds these bytes', (characters, bytes) => {
    expect(bytesOf(characters)).toEqual(bytes);
    expect(buildBitmap(characters)).toBe(buildBitmap(characters));
  });
});

describe('the windows of a text', () => {
  it.each([
    ['abc', ['abc']],
    ['token', ['toke', 'oken', 'ken']],
    ['ab', []],
  ])('%s', (text, all) => {
    const windows = listWindows(text);
    const known = windows.map(({ bytes }) => String.fromCharCode(...bytes.filter((byte) => byte !== null)));
    expect(known).toEqual(all);
    expect(windows.map(({ at }) => at)).toEqual([...all.keys()]);
    expect(windows.every(({ bytes }) => bytes.length === 4)).toBe(true);
  });

  it('knows which bytes are common', () => {
    const order = 'te \\n~'.split('').map((char) => toShare(char.charCodeAt(0)));
    expect(order).toEqual([...order].toSorted((a, b) => b - a));
    expect([toShare(null), toShare(0x74), toShare(0x7e), toShare(0), toShare(200)]).toEqual([1000, 90, 0.3, 0.3, 0.3]);
    expect(toShare(0x65)).toBeCloseTo(84.2, 1);
  });
});

type Bytes = readonly (number | null)[];
type Halves = ReturnType<typeof chooseWindows>['halves'];

/** The groups that take four bytes for one of their windows, as bits. */
function groupsFor(halves: Halves, bytes: readonly number[]): number {
  return bytes.reduce((groups, byte, at) => groups & halves[at]!.low[byte & 15]! & halves[at]!.high[byte >> 4]!, 0xff);
}

/** The tables of texts that have one window each. */
function halvesOf(windows: readonly Bytes[]): Halves {
  return chooseWindows(windows.map((bytes) => [{ at: 0, bytes }])).halves;
}

describe('windows in groups', () => {
  const window = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.option(fc.nat(255)));

  it('are all found', () => {
    const choices = fc.array(fc.array(window, { minLength: 1, maxLength: 5 }), { maxLength: 40 });
    fc.assert(
      fc.property(choices, fc.nat(255), (texts, any) => {
        const all = texts.map((bytes) => bytes.map((each, at) => ({ at, bytes: each })));
        const { windows, halves } = chooseWindows(all);
        expect(halves.map(({ low, high }) => [low.length, high.length])).toEqual(
          Array.from({ length: 4 }, () => [16, 16]),
        );
        expect(windows).toHaveLength(texts.length);
        for (const [text, chosen] of windows.entries()) {
          expect(all[text]).toContain(chosen);
          expect(
            groupsFor(
              halves,
              chosen.bytes.map((byte) => byte ?? any),
            ),
          ).not.toBe(0);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('are told from everything else where there are few', () => {
    const texts = ['abcd', 'wxyz', 'QQQQ', '0000', '~~~~', '{}{}', 'mnop', '%%%%'];
    const windows = texts.map((text) => codes(text));
    const halves = halvesOf([...windows, ...windows]);
    const found = windows.map((bytes) => groupsFor(halves, bytes));
    // Each has a group of its own.
    expect(found.toSorted((a, b) => a - b)).toEqual([1, 2, 4, 8, 16, 32, 64, 128]);
    for (const other of ['abcz', 'Qbcd', '1000', 'mnoq', '~~~\u007f', 'zyxw'])
      expect(groupsFor(halves, codes(other))).toBe(0);
    expect(halvesOf([]).every(({ low, high }) => [...low, ...high].every((bits) => bits === 0))).toBe(true);
  });

  it('add the fewest places: that of a text is the rarest, or one that a group already takes', () => {
    const rarest = chooseWindows([listWindows('the end~~~'), listWindows('"te"QXJ te')]);
    expect(rarest.windows.map(({ at }) => at)).toEqual([6, 3]);
    const { windows } = chooseWindows([listWindows('oken'), listWindows('token~Q')]);
    expect(windows[1]?.at).toBe(1);
  });

  it('take no more places than if each was put where it adds least', () => {
    const letters = fc.tuple(fc.nat(127), fc.nat(127), fc.nat(127), fc.option(fc.nat(127)));
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 30 }), (windows) => {
        const halves = halvesOf(windows);
        const made = Array.from({ length: 8 }, (_, group) =>
          takenBy(halves.map(({ low, high }) => ({ lows: halvesIn(low, group), highs: halvesIn(high, group) }))),
        );
        const sum = (costs: readonly number[]): number => costs.reduce((all, cost) => all + cost, 0);
        expect(sum(made) / sum(greedily(windows))).toBeLessThanOrEqual(1 + 1e-6);
      }),
      { numRuns: runs(200) },
    );
  });
});

interface Taken {
  readonly lows: ReadonlySet<number>;
  readonly highs: ReadonlySet<number>;
}

function halvesIn(bits: Uint8Array, group: number): ReadonlySet<number> {
  return new Set([...bits.keys()].filter((half) => (bits[half]! >> group) & 1));
}

/** How many places, of 1000 to the fourth, a group takes for one of its windows: every byte made of its halves. */
function takenBy(places: readonly Taken[]): number {
  const share = ({ lows, highs }: Taken): number => {
    if (lows.size === 16 && highs.size === 16) return 1000;
    return [...highs].reduce(
      (all, high) => all + [...lows].reduce((sum, low) => sum + toShare((high << 4) | low), 0),
      0,
    );
  };
  return places.reduce((product, place) => product * share(place), 1);
}

/** What the eight groups take if the most common windows choose first. */
function greedily(windows: readonly (readonly (number | null)[])[]): readonly number[] {
  const EVERY = Array.from({ length: 16 }, (_, half) => half);
  const none: readonly Taken[] = Array.from({ length: 4 }, () => ({ lows: new Set(), highs: new Set() }));
  const groups = Array.from({ length: 8 }, () => ({ places: none, taken: 0 }));
  const likely = (window: readonly (number | null)[]): number =>
    window.reduce<number>((all, byte) => all * toShare(byte), 1);
  const distinct = [...new Map(windows.map((window) => [window.join(), window])).values()];
  for (const window of distinct.toSorted((a, b) => likely(b) - likely(a))) {
    const ways = groups.map(({ places, taken }) => {
      const more = places.map(({ lows, highs }, at) => {
        const byte = window[at] ?? null;
        if (byte === null) return { lows: new Set(EVERY), highs: new Set(EVERY) };
        return { lows: new Set([...lows, byte & 15]), highs: new Set([...highs, byte >> 4]) };
      });
      return { more, cost: takenBy(more) - taken };
    });
    const least = Math.min(...ways.map(({ cost }) => cost));
    const best = ways.findIndex(({ cost }) => cost === least);
    groups[best] = { places: ways[best]!.more, taken: takenBy(ways[best]!.more) };
  }
  return groups.map(({ taken }) => taken);
}
