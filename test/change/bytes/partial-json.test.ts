import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRepairedText } from '#change/bytes/flaws.js';
import { readPartialJson } from '#change/bytes/partial-json.js';
import { bytes } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const object = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });

/** The value that a text stands for when its flaws are repaired. */
function readText(text: string): unknown {
  const file = bytes(text);
  const { state, end, flaws } = readPartialJson(file, 0);
  expect([state, end]).toEqual(['whole', file.length]);
  return JSON.parse(readRepairedText(file, { start: 0, end, flaws }));
}

describe('a JSON value', () => {
  it('is read to its end, whatever follows', () => {
    fc.assert(
      fc.property(object, fc.constantFrom('', '{"type":', ' x', '}', '\n'), (value, rest) => {
        const text = JSON.stringify(value);
        const { state, end, flaws, open } = readPartialJson(bytes(text + rest), 0);
        expect([state, end, flaws, open]).toEqual(['whole', bytes(text).length, [], []]);
      }),
    );
  });

  it('is the one that JSON.parse reads, or neither reads it', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0019dDaAtrfuelsn-+.eE \t\r/b'.split('')), maxLength: 12 }),
      fc.tuple(object, fc.nat(), fc.constantFrom(...'{}[]":,\\u09.-e+tx'.split(''))).map(([value, at, letter]) => {
        const whole = JSON.stringify(value);
        const place = at % whole.length;
        return whole.slice(0, place) + letter + whole.slice(place + 1);
      }),
    );
    fc.assert(
      fc.property(text, (inner) => {
        // Something follows, as at the end a number might go on.
        const file = bytes(`[${inner}]`);
        const { state, end, flaws } = readPartialJson(file, 0);
        const isWhole = state === 'whole' && end === file.length && flaws.length === 0;
        let isJson = true;
        try {
          JSON.parse(`[${inner}]`);
        } catch {
          isJson = false;
        }
        expect([inner, isWhole]).toEqual([inner, isJson]);
      }),
      { numRuns: runs(5000) },
    );
  });

  it('is cut wherever it ends early', () => {
    fc.assert(
      fc.property(object, fc.nat(), (value, at) => {
        const file = bytes(JSON.stringify(value));
        const end = at % file.length;
        const read = readPartialJson(file, 0, end);
        expect([read.state, read.end]).toEqual(['cut', end]);
      }),
    );
  });

  it('has the members that it has', () => {
    fc.assert(
      fc.property(object, (value) => {
        const file = bytes(JSON.stringify(value, null, 1));
        const { members } = readPartialJson(file, 0);
        const pairs = members.map(({ key, start, end }): [string, unknown] => [
          key,
          JSON.parse(Buffer.from(file.subarray(start, end)).toString()),
        ]);
        // Not through an object, which would put keys that look like numbers first.
        expect(pairs).toEqual(Object.keys(value).map((key) => [key, JSON.parse(JSON.stringify(value[key]))]));
      }),
    );
  });
});

describe('a value in which something is wrong', () => {
  it('is the same without NUL bytes and newlines, wherever they stand between its bytes', () => {
    fc.assert(
      fc.property(object, fc.array(fc.nat(), { maxLength: 5 }), (value, places) => {
        const text = JSON.stringify(value);
        let broken = Buffer.from(text);
        for (const place of places) {
          const at = (place % broken.length) + 1;
          if (at === broken.length) continue;
          broken = Buffer.concat([broken.subarray(0, at), Buffer.from('\0\0'), broken.subarray(at)]);
        }
        const { state, end, flaws } = readPartialJson(broken, 0);
        expect([state, end]).toEqual(['whole', broken.length]);
        const repaired = Buffer.concat(
          [...flaws, null].map((flaw, index) => {
            const before = flaws[index - 1];
            const from = before ? before.at + before.length : 0;
            return broken.subarray(from, flaw ? flaw.at : end);
          }),
        );
        expect(repaired.toString()).toBe(text);
      }),
    );
  });

  it.each([
    ['{"a":"x\ny"}', { a: 'x\ny' }],
    ['{"a":"x\r\ny"}', { a: 'x\r\ny' }],
    ['{"a":"\t\u0001\u001f"}', { a: '\t\u0001\u001f' }],
    ['{"key\nword":1}', { keyword: 1 }],
    ['{"a":tr\nue,"b":1\n2,"c":nul\nl}', { a: true, b: 12, c: null }],
    ['{"a":"\\\nn\\u00\n41\\\n\\"}', { a: '\nA\\' }],
    ['{\n\r\n"a"\n:\n1\n,\n"b"\n:\n[\n]\n}', { a: 1, b: [] }],
    ['{\ufeff"a":\ufeff1}', { a: 1 }],
    ['{"a":"\ufeff"}', { a: '\ufeff' }],
  ])('%j is repaired', (text, value) => {
    expect(readText(text)).toEqual(value);
  });

  it.each(['{"a":1,}', '{a:1}', '{"a" 1}', '{"a":01}', '{"a":[1}', '{"a":1]', '}', ']', '{"a":\u0001}'])(
    '%j is broken',
    (text) => {
      expect(readPartialJson(bytes(text), 0).state).toBe('broken');
    },
  );

  it('knows keys by what they mean', () => {
    expect(readPartialJson(bytes('{"\\u0069d":1,"pare\nntId":2}'), 0).members.map(({ key }) => key)).toEqual([
      'id',
      'parentId',
    ]);
  });

  it.each(['a\u0001b', 'a\nb', 'a\0b', 'a\\qb', 'a\u0001\\u0062'])(
    'has the member %j that it has once repaired',
    (key) => {
      const text = `{"${key}":1}`;
      const { members } = readPartialJson(bytes(text), 0);
      expect(members.map((member) => member.key)).toEqual(Object.keys(readText(text) as object));
    },
  );

  it('says what is open where it is cut', () => {
    const { open, openText } = readPartialJson(bytes('{"a":1,"b":[{"c":"tex\\'), 0);
    expect(open.map(({ isList, key, end }) => [isList, key, end])).toEqual([
      [false, 'b', 6],
      [true, null, 12],
      [false, 'c', 13],
    ]);
    expect(openText).toEqual({ start: 18, end: 21 });
  });
});

describe('a value that is read only up to a limit', () => {
  it.each([
    ['{"a":\0\0\0', 6],
    ['{"a":"\0\0\0', 8],
    ['{"a":tr\0\0\0', 8],
    ['{"a":"\\\0\0u0041"', 9],
    ['{"a":"\\u00\0\0\0', 12],
    ['{"a":\n\n', 6],
  ])('%j ends at %i', (text, limit) => {
    const { state, end, flaws } = readPartialJson(bytes(text), 0, limit);
    expect([state, end]).toEqual(['cut', limit]);
    expect(flaws.every(({ at, length }) => at + length <= limit)).toBe(true);
  });
});

it.each([
  [0xef, 0xbb, 0xbf, 'whole'],
  [0xee, 0xbb, 0xbf, 'broken'],
  [0xef, 0xba, 0xbf, 'broken'],
  [0xef, 0xbb, 0xbe, 'broken'],
  [0x20, 0xbb, 0xbf, 'broken'],
  [0xef, 0x20, 0x20, 'broken'],
])('the bytes %i %i %i between two parts leave it %s', (one, two, three, state) => {
  const file = Buffer.concat([bytes('{"a":'), Buffer.from([one, two, three]), bytes('1}')]);
  expect(readPartialJson(file, 0).state).toBe(state);
});

it.each(['d7ff', 'd800', 'D9ab', 'dbFF', 'dc00', 'dFff', 'e000'])(
  'the escape \\u%s surely is text, or half of it',
  (digits) => {
    const isHalf = /^d[89ab]/i.test(digits);
    const { state, openText } = readPartialJson(bytes(`{"a":"x\\u${digits}`), 0);
    expect([state, openText]).toEqual(['cut', { start: 6, end: isHalf ? 7 : 13 }]);
    expect(readPartialJson(bytes(`{"a":"x\\u${digits}y`), 0).openText).toEqual({ start: 6, end: 14 });
  },
);
