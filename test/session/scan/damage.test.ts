import { describe, expect, it } from 'vitest';
import { LINE_DAMAGE } from '#session/scan/damage.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import { assistant, bytes, entry, type Entry, HEADER, lines, sourceOf, user } from '../../support/entries.js';

const SOUND = user('sound', null);
const [A, B, C] = [user('a', null), assistant('b', 'a'), user('c', 'b')].map((part) => JSON.stringify(part)) as [
  string,
  string,
  string,
];
const PRETTY = JSON.stringify(user('pretty', null), null, 2);
/** Where a newline would stand in a string, and the rest could be put together again. */
const IN_STRING = A.indexOf('question') + 4;
const NOT_UTF8 = Uint8Array.from([...bytes(A.slice(0, -6)), 0xff, 0xc3, ...bytes(A.slice(-6))]);

interface Case {
  readonly name: string;
  /** What follows the header and one sound entry. */
  readonly body: string | Uint8Array;
  /** Each problem by its code, its first line and the text that it spans. */
  readonly damage: readonly (readonly [code: string, line: number, text: string])[];
  /** Ids of the entries that are left. */
  readonly kept?: readonly unknown[];
}

const CASES: readonly Case[] = [
  { name: 'a last line without a newline', body: A, damage: [], kept: ['a'] },
  { name: 'a last line that breaks off', body: A.slice(0, 40), damage: [['torn-tail', 3, A.slice(0, 40)]] },
  { name: 'a run of NUL bytes', body: `\0\0\0\n${A}\n`, damage: [['nul-bytes', 3, '\0\0\0\n']], kept: ['a'] },
  { name: 'NUL bytes at the end of the file', body: `${A}\n\0\0`, damage: [['nul-bytes', 4, '\0\0']], kept: ['a'] },
  { name: 'NUL bytes before an entry', body: `\0${A}\n`, damage: [['nul-bytes', 3, `\0${A}\n`]] },
  { name: 'two entries on a line', body: `${A}${B}\n`, damage: [['glued-lines', 3, `${A}${B}\n`]] },
  { name: 'three entries on a line', body: `${A}${B}${C}\n`, damage: [['glued-lines', 3, `${A}${B}${C}\n`]] },
  {
    name: 'an entry behind one that breaks off',
    body: `${A.slice(0, 40)}${B}\n`,
    damage: [['glued-lines', 3, `${A.slice(0, 40)}${B}\n`]],
  },
  {
    name: 'an entry before one that breaks off at the end of the file',
    body: `${A}${B.slice(0, 40)}`,
    damage: [['glued-lines', 3, `${A}${B.slice(0, 40)}`]],
  },
  { name: 'an entry over several lines', body: `${PRETTY}\n`, damage: [['split-line', 3, `${PRETTY}\n`]] },
  {
    name: 'an entry over several lines with carriage returns',
    body: `${PRETTY.replaceAll('\n', '\r\n')}\r\n`,
    damage: [['split-line', 3, `${PRETTY.replaceAll('\n', '\r\n')}\r\n`]],
  },
  {
    name: 'an entry with a raw newline in a string',
    body: `${A.replace('question', 'first\nsecond')}\n`,
    damage: [['split-line', 3, `${A.replace('question', 'first\nsecond')}\n`]],
  },
  {
    name: 'an entry with a carriage return and a raw newline in a string',
    body: `${A.replace('question', 'first\r\nsecond')}\n`,
    damage: [['split-line', 3, `${A.replace('question', 'first\r\nsecond')}\n`]],
  },
  {
    name: 'two entries over several lines, one after the other',
    body: `${PRETTY}\n${PRETTY}\n${A}\n`,
    damage: [
      ['split-line', 3, `${PRETTY}\n`],
      ['split-line', 3 + PRETTY.split('\n').length, `${PRETTY}\n`],
    ],
    kept: ['a'],
  },
  {
    name: 'an entry over several lines behind a line of junk',
    body: `{junk\n${PRETTY}\n`,
    damage: [
      ['malformed-line', 3, '{junk\n'],
      ['split-line', 4, `${PRETTY}\n`],
    ],
  },
  {
    name: 'halves of an entry around a sound one',
    body: `${A.slice(0, IN_STRING)}\n${B}\n${A.slice(IN_STRING)}\n`,
    damage: [
      ['malformed-line', 3, `${A.slice(0, IN_STRING)}\n`],
      ['malformed-line', 5, `${A.slice(IN_STRING)}\n`],
    ],
    kept: ['b'],
  },
  {
    name: 'lines that are not JSON',
    body: 'hello\n{"type":"message"\nNaN\n',
    damage: [
      ['malformed-line', 3, 'hello\n'],
      ['malformed-line', 4, '{"type":"message"\n'],
      ['malformed-line', 5, 'NaN\n'],
    ],
  },
  {
    name: 'several kinds, in file order',
    body: '{junk\n{"id":"a"}\n{junk\nnull\n',
    damage: [
      ['malformed-line', 3, '{junk\n'],
      ['no-type', 4, '{"id":"a"}\n'],
      ['malformed-line', 5, '{junk\n'],
      ['not-an-object', 6, 'null\n'],
    ],
    kept: ['a'],
  },
  {
    name: 'a backslash that begins no escape',
    body: '{"type":"x","id":"e","text":"It asks \\***@***.\\u00*"}\n',
    damage: [['invalid-escape', 3, '{"type":"x","id":"e","text":"It asks \\***@***.\\u00*"}\n']],
  },
  {
    name: 'a backslash that begins no escape, in a line that breaks off',
    body: '{"type":"x","id":"e","text":"It asks \\***\n',
    damage: [['malformed-line', 3, '{"type":"x","id":"e","text":"It asks \\***\n']],
  },
  { name: 'a brace before JSON', body: '{7\n', damage: [['malformed-line', 3, '{7\n']] },
  { name: 'junk that ends like JSON', body: '{junk 7\n', damage: [['malformed-line', 3, '{junk 7\n']] },
  {
    name: 'an entry over several lines with white space behind it',
    body: `${PRETTY} \n`,
    damage: [['split-line', 3, `${PRETTY} \n`]],
  },
  { name: 'a byte order mark', body: `\ufeff${A}\n`, damage: [['byte-order-mark', 3, `\ufeff${A}\n`]] },
  {
    name: 'JSON that counts as false',
    body: 'null\n0\nfalse\n""\n',
    damage: [
      ['not-an-object', 3, 'null\n'],
      ['not-an-object', 4, '0\n'],
      ['not-an-object', 5, 'false\n'],
      ['not-an-object', 6, '""\n'],
    ],
  },
  {
    name: 'JSON that is true but no object, which Pi keeps',
    body: '7\n"text"\n[1]\n',
    damage: [
      ['not-an-object', 3, '7\n'],
      ['not-an-object', 4, '"text"\n'],
      ['not-an-object', 5, '[1]\n'],
    ],
    kept: [undefined, undefined, undefined],
  },
  {
    name: 'bytes that are not UTF-8',
    body: NOT_UTF8,
    damage: [['invalid-utf8', 3, `${A.slice(0, -6)}\ufffd\ufffd${A.slice(-6)}`]],
    kept: ['a'],
  },
  {
    name: 'a replacement character that was written',
    body: `${A.replace('question', '\ufffd')}\n`,
    damage: [],
    kept: ['a'],
  },
  {
    name: 'a second header',
    body: lines(HEADER, user('a', null)),
    damage: [['repeated-header', 3, lines(HEADER)]],
    kept: ['a'],
  },
  {
    name: 'entries without an id',
    body: '{"type":"custom"}\n{"type":"custom","id":{}}\n',
    damage: [
      ['no-id', 3, '{"type":"custom"}\n'],
      ['no-id', 4, '{"type":"custom","id":{}}\n'],
    ],
    kept: [undefined, undefined],
  },
  {
    name: 'entries without a type',
    body: '{"id":"a"}\n{"type":7,"id":"b"}\n',
    damage: [
      ['no-type', 3, '{"id":"a"}\n'],
      ['no-type', 4, '{"type":7,"id":"b"}\n'],
    ],
    kept: ['a', 'b'],
  },
  {
    name: 'an object with nothing in it',
    body: '{}\n',
    damage: [
      ['no-id', 3, '{}\n'],
      ['no-type', 3, '{}\n'],
    ],
    kept: [undefined],
  },
];

function fileOf(body: string | Uint8Array, header: Entry = HEADER): Uint8Array {
  const rest = typeof body === 'string' ? bytes(body) : body;
  return Uint8Array.from([...bytes(lines(header, SOUND)), ...rest]);
}

describe('damage', () => {
  it.each(CASES)('names $name, and where it is', ({ body, damage }) => {
    const file = fileOf(body);
    const found = scanSession(sourceOf(file), 'f').problems.map(({ code, line, offset = -1, length = -1 }) => [
      code,
      line,
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.subarray(offset, offset + length)),
    ]);
    expect(found).toEqual(damage);
  });

  it.each(CASES)('leaves the right entries behind: $name', ({ body, kept = [] }) => {
    expect(Array.from(scanSession(sourceOf(fileOf(body)), 'f').heads, ({ id }) => id)).toEqual(['sound', ...kept]);
  });

  it('is told apart in every way there is, but for a line too long to hold', () => {
    const told = new Set(CASES.flatMap(({ damage }) => damage.map(([code]) => code)));
    expect([...told, 'line-too-long'].toSorted()).toEqual(Object.keys(LINE_DAMAGE).toSorted());
  });

  it.each([
    ['loses the entry', `${A}${B}\n`, 'error'],
    ['changes its text', NOT_UTF8, 'warning'],
    ['is only a second header', lines(HEADER), 'warning'],
  ])('has a severity: what %s', (_name, body, severity) => {
    expect(scanSession(sourceOf(fileOf(body)), 'f').problems).toMatchObject([{ severity }]);
  });

  it('names the entry where there is one', () => {
    const { problems } = scanSession(sourceOf(fileOf('{"id":"typeless"}\n')), 'f');
    expect(problems).toMatchObject([{ code: 'no-type', entryId: 'typeless' }]);
  });

  it('does not ask for ids before version 2', () => {
    const body = '{"type":"model_change"}\n';
    const codes = (header: Entry): readonly string[] =>
      scanSession(sourceOf(fileOf(body, header)), 'f').problems.map(({ code }) => code);
    expect(codes({ ...HEADER, version: 1 })).toEqual([]);
    expect(codes({ ...HEADER, version: 2 })).toEqual(['no-id']);
  });

  it('finds an entry that was spread over a thousand lines', () => {
    const keys = Object.fromEntries(Array.from({ length: 994 }, (_, at) => [`key ${at}`, at]));
    const spread = `${JSON.stringify(entry('custom', 'spread', null, keys), null, 1)}\n`;
    expect(spread.match(/\n/g)).toHaveLength(1000);
    expect(scanSession(sourceOf(fileOf(spread)), 'f').problems).toMatchObject([
      { code: 'split-line', line: 3, length: spread.length },
    ]);
  });
});
