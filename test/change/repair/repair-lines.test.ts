import { describe, expect, it } from 'vitest';
import { repairBytes, saidOf } from '../../support/repaired.js';

const HEADER = '{"type":"session","version":3,"id":"s"}';
const A = '{"type":"x","id":"a","parentId":null}';
const B = '{"type":"x","id":"b","parentId":"a"}';
const C = '{"type":"x","id":"c","parentId":"b"}';
const TORN = '{"type":"message","id":"m","parentId":"a","message":{"role":"user","content":"Hello';

/** A file, what becomes of it, and what is said: line, rule, entry and place of what was repaired, then what is lost. */
type Case = readonly [about: string, before: string, after: string, said: readonly string[]];

describe('entries that share a line', () => {
  it.each<Case>([
    [
      'two on a line',
      `${HEADER}\n${A}${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['2 glued-lines b 77+0: moved to its own line'],
    ],
    [
      'three on a line, with gaps',
      `${HEADER}\n${A} \t${B}\r${C}\r\n`,
      `${HEADER}\n${A} \t\n${B}\r\n${C}\r\n`,
      ['2 glued-lines b 79+0: moved to its own line', '2 glued-lines c 116+0: moved to its own line'],
    ],
    [
      'the header and an entry',
      `${HEADER}${A}\n${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['1 glued-lines a 39+0: moved to its own line'],
    ],
    [
      'junk between two',
      `${HEADER}\n${A}junk${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['2 glued-lines b 81+0: moved to its own line', '2 malformed-line lost: junk'],
    ],
    ['junk before', `${HEADER}\njunk${A}\n`, `${HEADER}\n${A}\n`, ['2 malformed-line lost: junk']],
    ['junk behind', `${HEADER}\n${A}junk\n${B}\n`, `${HEADER}\n${A}\n${B}\n`, ['2 malformed-line lost: junk']],
    ['junk behind, no newline', `${HEADER}\n${A}junk`, `${HEADER}\n${A}\n`, ['2 torn-tail lost: junk']],
    [
      'a number behind an entry',
      `${HEADER}\n${A} 12 \n${B}\n`,
      `${HEADER}\n${A} \n${B}\n`,
      ['2 not-an-object lost: 12 '],
    ],
    [
      'an object without a type behind an entry',
      `${HEADER}\n${A}{"id":"b","parentId":"a"}\n`,
      `${HEADER}\n${A}\n`,
      ['2 malformed-line lost: {"id":"b","parentId":"a"}'],
    ],
    [
      'a message that Pi cannot read between two',
      `${HEADER}\n${A}{"type":"message","id":"m","parentId":"a"}{"type":"x","id":"n","parentId":"m"}\n`,
      `${HEADER}\n${A}\n{"type":"x","id":"n","parentId":"a"}\n`,
      [
        '2 glued-lines n 119+0: moved to its own line',
        '2 orphan n 119+37: now follows "a", which preceded its lost parent "m"',
        '2 no-message lost: {"type":"message","id":"m","parentId":"a"}',
      ],
    ],
    [
      'an edit that Pi cannot read behind an entry',
      `${HEADER}\n${A}{"type":"context_edit","id":"m","parentId":"a","targetId":"a"}\n`,
      `${HEADER}\n${A}\n`,
      ['2 edit-without-replacement lost: {"type":"context_edit","id":"m","parentId":"a","targetId":"a"}'],
    ],
    [
      'a torn one and a whole one',
      `${HEADER}\n${A}\n{"type":"x","id":"t","parentId":"a"{"type":"x","id":"c","parentId":"t"}\n`,
      `${HEADER}\n${A}\n{"type":"x","id":"c","parentId":"a"}\n`,
      [
        '3 orphan c 113+37: now follows "a", which preceded its lost parent "t"',
        '3 glued-lines lost: {"type":"x","id":"t","parentId":"a"',
      ],
    ],
    [
      'a torn one inside a torn one',
      `${HEADER}\n${A}\n{"type":"x","id":"t","q":{"type":"y","parentId":"1"\n`,
      `${HEADER}\n${A}\n`,
      ['3 malformed-line lost: {"type":"x","id":"t","q":{"type":"y","parentId":"1"\n'],
    ],
    [
      'torn behind an entry',
      `${HEADER}\n${A}{"type":"x","id":"t"`,
      `${HEADER}\n${A}\n`,
      ['2 torn-tail lost: {"type":"x","id":"t"'],
    ],
    [
      'torn behind an entry, newline',
      `${HEADER}\n${A}{"type":"x","id":"t"\n`,
      `${HEADER}\n${A}\n`,
      ['2 malformed-line lost: {"type":"x","id":"t"'],
    ],
    [
      'an entry inside a torn one',
      `${HEADER}\n${A}\n{"type":"x","id":"t","parentId":"a","q":{"type":"y","parentId":"1"}\n`,
      `${HEADER}\n${A}\n{"type":"y","id":"d0b2b295","parentId":"a"}\n`,
      [
        '3 no-id - 118+28: new id "d0b2b295"',
        '3 orphan - 118+28: now follows "a", the entry before it in the file: its parent "1" does not exist',
        '3 glued-lines lost: {"type":"x","id":"t","parentId":"a","q":',
      ],
    ],
    [
      'a part of a message in junk',
      `${HEADER}\nx{"type":"text","text":"y"}${A}\n`,
      `${HEADER}\n${A}\n`,
      ['2 malformed-line lost: x{"type":"text","text":"y"}'],
    ],
    [
      'an entry that has a message',
      `${HEADER}\nx{"type":"x","timestamp":1,"message":2}\n`,
      `${HEADER}\n{"type":"x","id":"327b38e4","parentId":null,"timestamp":1,"message":2}\n`,
      [
        '2 no-id - 41+39: new id "327b38e4"',
        '2 no-id - 41+39: now a root: it had no parent',
        '2 malformed-line lost: x',
      ],
    ],
    [
      'an entry that has a folder',
      `${HEADER}\nx{"type":"x","timestamp":1,"cwd":2}\n`,
      `${HEADER}\n{"type":"x","id":"327b38e4","parentId":null,"timestamp":1,"cwd":2}\n`,
      [
        '2 no-id - 41+35: new id "327b38e4"',
        '2 no-id - 41+35: now a root: it had no parent',
        '2 malformed-line lost: x',
      ],
    ],
    [
      'an entry that has a version',
      `${HEADER}\nx{"type":"x","timestamp":1,"version":2}\n`,
      `${HEADER}\n{"type":"x","id":"327b38e4","parentId":null,"timestamp":1,"version":2}\n`,
      [
        '2 no-id - 41+39: new id "327b38e4"',
        '2 no-id - 41+39: now a root: it had no parent',
        '2 malformed-line lost: x',
      ],
    ],
    [
      'no entry, as too little is there',
      `${HEADER}\nx{"type":"x","timestamp":1}{"type":"x","version":1,"cwd":2,"message":3}\n`,
      `${HEADER}\n`,
      ['2 malformed-line lost: x{"type":"x","timestamp":1}{"type":"x","version":1,"cwd":2,"message":3}\n'],
    ],
  ])('%s', isMended);
});

describe('lines that hold no entry', () => {
  it.each<Case>([
    [
      'junk among blank lines',
      `${HEADER}\n\n \njunk\nmore\n\n\t\nagain\n\n${A}\n`,
      `${HEADER}\n\n \n\n\t\n\n${A}\n`,
      ['4 malformed-line lost: junk\nmore\n', '8 malformed-line lost: again\n'],
    ],
    ['junk line at the end', `${HEADER}\n${A}\njunk`, `${HEADER}\n${A}\n`, ['3 torn-tail lost: junk']],
    [
      'junk line at the end, with newline',
      `${HEADER}\n${A}\njunk\n`,
      `${HEADER}\n${A}\n`,
      ['3 malformed-line lost: junk\n'],
    ],
    [
      'scalars',
      `${HEADER}\n1\n"x"\n[]\nnull\n${A}\n`,
      `${HEADER}\n${A}\n`,
      ['2 not-an-object lost: 1\n"x"\n[]\nnull\n'],
    ],
    ['a scalar at the end', `${HEADER}\n${A}\n12`, `${HEADER}\n${A}\n`, ['3 not-an-object lost: 12']],
    [
      'objects without a type',
      `${HEADER}\n${A}\n{}\n{"id":"b","parentId":"a"}\n`,
      `${HEADER}\n${A}\n{"id":"d0b2b295","parentId":"a"}\n{"id":"b","parentId":"a"}\n`,
      [
        '3 no-id - 78+3: new id "d0b2b295"',
        '3 no-id - 78+3: now follows "a", the entry before it in the file: it had no parent',
      ],
    ],
    [
      'a message without its message',
      `${HEADER}\n${A}\n{"type":"message","id":"m","parentId":"a"}\n{"type":"x","id":"n","parentId":"m"}\n`,
      `${HEADER}\n${A}\n{"type":"x","id":"n","parentId":"a"}\n`,
      [
        '4 orphan n 121+37: now follows "a", which preceded its lost parent "m"',
        '3 no-message lost: {"type":"message","id":"m","parentId":"a"}\n',
      ],
    ],
    [
      'a message whose message is null',
      `${HEADER}\n${A}\n{"type":"message","id":"m","parentId":"a","message":null}\n`,
      `${HEADER}\n${A}\n`,
      ['3 no-message lost: {"type":"message","id":"m","parentId":"a","message":null}\n'],
    ],
    [
      'an edit without its replacement',
      `${HEADER}\n${A}\n{"type":"context_edit","id":"m","parentId":"a","targetId":"a"}\n`,
      `${HEADER}\n${A}\n`,
      ['3 edit-without-replacement lost: {"type":"context_edit","id":"m","parentId":"a","targetId":"a"}\n'],
    ],
    [
      'an edit whose replacement is null',
      `${HEADER}\n${A}\n{"type":"context_edit","id":"m","parentId":"a","targetId":"a","replacement":null}\n`,
      `${HEADER}\n${A}\n{"type":"context_edit","id":"m","parentId":"a","targetId":"a","replacement":null}\n`,
      [],
    ],
    [
      'a message that is a number',
      `${HEADER}\n${A}\n{"type":"message","id":"m","parentId":"a","message":7}\n`,
      `${HEADER}\n${A}\n{"type":"message","id":"m","parentId":"a","message":7}\n`,
      [],
    ],
  ])('%s', isMended);
});

describe('an entry that breaks off', () => {
  it.each<Case>([
    [
      'torn line in the middle',
      `${HEADER}\n${A}\n{"type":"x","id":"t","parentId":"a",\n{"type":"x","id":"c","parentId":"t"}\n`,
      `${HEADER}\n${A}\n{"type":"x","id":"c","parentId":"a"}\n`,
      [
        '4 orphan c 115+37: now follows "a", which preceded its lost parent "t"',
        '3 malformed-line lost: {"type":"x","id":"t","parentId":"a",\n',
      ],
    ],
    [
      'torn at the end',
      `${HEADER}\n${A}\n{"type":"x","id":"t"`,
      `${HEADER}\n${A}\n`,
      ['3 torn-tail lost: {"type":"x","id":"t"'],
    ],
    [
      'torn at the end, newline',
      `${HEADER}\n${A}\n{"type":"x","id":"t"\n`,
      `${HEADER}\n${A}\n`,
      ['3 malformed-line lost: {"type":"x","id":"t"\n'],
    ],
    [
      'in its text',
      `${HEADER}\n${A}\n${TORN}`,
      `${HEADER}\n${A}\n${TORN}"}}\n`,
      ['3 torn-tail m 78+83: closed at the end of its truncated text'],
    ],
    [
      'in its text, before another line',
      `${HEADER}\n${A}\n${TORN}\n${B}\n`,
      `${HEADER}\n${A}\n${TORN}"}}\n${B}\n`,
      ['3 malformed-line m 78+83: closed at the end of its truncated text'],
    ],
    [
      'in its text, before another entry',
      `${HEADER}\n${A}\n${TORN}${B}\n`,
      `${HEADER}\n${A}\n${TORN}"}}\n${B}\n`,
      [
        '3 glued-lines m 78+83: closed at the end of its truncated text',
        '3 glued-lines b 161+0: moved to its own line',
      ],
    ],
    [
      'in an escape',
      `${HEADER}\n${A}\n${TORN}\\u00`,
      `${HEADER}\n${A}\n${TORN}"}}\n`,
      [
        '3 torn-tail m 78+87: closed at the end of its truncated text; 4 bytes after that lost',
        '3 torn-tail lost: \\u00',
      ],
    ],
    [
      'in its text, behind an entry',
      `${HEADER}\n${A}${TORN}`,
      `${HEADER}\n${A}\n${TORN}"}}\n`,
      ['2 glued-lines m 77+0: moved to its own line', '2 torn-tail m 77+83: closed at the end of its truncated text'],
    ],
    [
      'in its text, which has flaws',
      `${HEADER}\n${A}\n${TORN}\u0000\u0001o`,
      `${HEADER}\n${A}\n${TORN}\\u0001o"}}\n`,
      [
        '3 torn-tail m 78+86: closed at the end of its truncated text',
        '3 nul-bytes m 78+86: 1 NUL byte in it removed',
        '3 malformed-line m 78+86: 1 control character in it escaped',
      ],
    ],
    [
      'behind its text',
      `${HEADER}\n${A}\n${TORN} you","x":tru`,
      `${HEADER}\n${A}\n${TORN} you"}}\n`,
      [
        '3 torn-tail m 78+96: closed after its last complete member; 8 bytes after that lost',
        '3 torn-tail lost: ,"x":tru',
      ],
    ],
  ])('%s', isMended);
});

describe('bytes that JSON does not have there', () => {
  it.each<Case>([
    [
      'a line of NUL bytes',
      `${HEADER}\n${A}\n\u0000\u0000\u0000\n${B}\n`,
      `${HEADER}\n${A}\n\n${B}\n`,
      ['3 nul-bytes - 78+3: 3 NUL bytes removed'],
    ],
    [
      'a NUL byte before an entry',
      `${HEADER}\n${A}\n\u0000${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['3 nul-bytes - 78+1: 1 NUL byte removed'],
    ],
    [
      'NUL bytes at the end',
      `${HEADER}\n${A}\n\u0000\u0000`,
      `${HEADER}\n${A}\n`,
      ['3 nul-bytes - 78+2: 2 NUL bytes removed'],
    ],
    [
      'NUL bytes between two',
      `${HEADER}\n${A}\u0000\u0000${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['2 nul-bytes - 77+2: 2 NUL bytes removed', '2 glued-lines b 79+0: moved to its own line'],
    ],
    [
      'NUL bytes in an entry',
      `${HEADER}\n{"type":"\u0000x","id":"a","pare\u0000\u0000ntId":nu\u0000ll}\n`,
      `${HEADER}\n${A}\n`,
      ['2 nul-bytes a 40+41: 4 NUL bytes in it removed'],
    ],
    [
      'a byte order mark in front',
      `\ufeff${HEADER}\n${A}\n`,
      `${HEADER}\n${A}\n`,
      ['1 byte-order-mark - 0+3: the byte order mark removed'],
    ],
    [
      'a byte order mark between two',
      `${HEADER}\n${A}\ufeff${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['2 byte-order-mark - 77+3: the byte order mark removed', '2 glued-lines b 80+0: moved to its own line'],
    ],
    [
      'byte order marks in an entry',
      `${HEADER}\n{\ufeff"type":\ufeff"x","id":"a","parentId":null}\n`,
      `${HEADER}\n${A}\n`,
      ['2 byte-order-mark a 40+43: 2 byte order marks in it removed'],
    ],
    [
      'a byte order mark in an entry',
      `${HEADER}\n{\ufeff"type":"x","id":"a","parentId":null}\n`,
      `${HEADER}\n${A}\n`,
      ['2 byte-order-mark a 40+40: 1 byte order mark in it removed'],
    ],
    [
      'a byte order mark in a text',
      `${HEADER}\n{"type":"x","id":"a\ufeff","parentId":null}\n`,
      `${HEADER}\n{"type":"x","id":"a\ufeff","parentId":null}\n`,
      [],
    ],
    [
      'a control character',
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"\u0001"}\n`,
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"\\u0001"}\n`,
      ['2 malformed-line a 40+45: 1 control character in it escaped'],
    ],
    [
      'control characters',
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"\u0001\t\u001f"}\n`,
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"\\u0001\\t\\u001f"}\n`,
      ['2 malformed-line a 40+47: 3 control characters in it escaped'],
    ],
    [
      'split text',
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"1\n2"}\n`,
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"1\\n2"}\n`,
      ['2 split-line a 40+47: 2 lines joined: 1 newline in its text escaped'],
    ],
    [
      'split text twice',
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"1\n2\n\n3"}\n`,
      `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":"1\\n2\\n\\n3"}\n`,
      ['2 split-line a 40+50: 4 lines joined: 3 newlines in its text escaped'],
    ],
    [
      'split between',
      `${HEADER}\n{"type":"x",\n"id":"a","parentId":null}\n`,
      `${HEADER}\n${A}\n`,
      ['2 split-line a 40+38: 2 lines joined: 1 newline removed'],
    ],
    [
      'split both',
      `${HEADER}\n{"type":"x",\n"id":"a",\r\n"parentId":null,"n":"1\n2"}\n`,
      `${HEADER}\n{"type":"x","id":"a",\r"parentId":null,"n":"1\\n2"}\n`,
      ['2 split-line a 40+50: 4 lines joined: 2 newlines removed, 1 newline in its text escaped'],
    ],
    [
      'split, then another line',
      `${HEADER}\n{"type":"x",\n"id":"a","parentId":null}\n${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['2 split-line a 40+38: 2 lines joined: 1 newline removed'],
    ],
    [
      'split, then another entry',
      `${HEADER}\n{"type":"x",\n"id":"a","parentId":null}${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['2 split-line a 40+38: 2 lines joined: 1 newline removed', '3 glued-lines b 78+0: moved to its own line'],
    ],
  ])('%s', isMended);
});

describe('the end of a file', () => {
  it.each<Case>([
    ['without a newline', `${HEADER}\n${A}`, `${HEADER}\n${A}\n`, ['2 no-final-newline a 40+37: newline added']],
    ['without a newline behind the header', HEADER, `${HEADER}\n`, ['1 no-final-newline - 0+39: newline added']],
    ['with spaces for a newline', `${HEADER}\n${A}\n  `, `${HEADER}\n${A}\n  `, []],
  ])('%s', isMended);
});

async function isMended(_about: string, before: string, after: string, said: readonly string[]): Promise<void> {
  const repaired = await repairBytes(Buffer.from(before));
  expect(Buffer.from(repaired.bytes).toString()).toBe(after);
  expect(saidOf(repaired, before)).toEqual(said);
}

describe('an entry over very many lines', () => {
  const over = (count: number): string =>
    `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":[${'\n'.repeat(count - 1)}]}\n`;

  it('is put together where they are a thousand', async () => {
    const whole = `${HEADER}\n{"type":"x","id":"a","parentId":null,"n":[]}\n`;
    await isMended('', over(1000), whole, ['2 split-line a 40+1043: 1000 lines joined: 999 newlines removed']);
  });

  it('is lost where they are more', async () => {
    const { bytes, discarded: lost } = await repairBytes(Buffer.from(over(1001)));
    expect(Buffer.from(bytes).toString()).toBe(`${HEADER}\n${'\n'.repeat(999)}`);
    expect(lost.map(({ code, line }) => [code, line])).toEqual([
      ['malformed-line', 2],
      ['malformed-line', 1002],
    ]);
  });
});

it('an entry without an id that Pi cannot read is lost, and no entry follows it', async () => {
  const before = `${HEADER}\n${A}\n{"type":"message","parentId":"a"}\n{"type":"x","id":"n","parentId":null}\n`;
  await isMended('', before, `${HEADER}\n${A}\n{"type":"x","id":"n","parentId":null}\n`, [
    '3 no-message lost: {"type":"message","parentId":"a"}\n',
  ]);
});

describe('a backslash that begins no escape', () => {
  const entry = (text: string): string => `{"type":"x","id":"e","parentId":"a","text":"${text}"}`;

  it.each<readonly [about: string, before: string, after: string]>([
    ['of a redactor', String.raw`It asks \***@***.***, twice\n.`, String.raw`It asks ***@***.***, twice\n.`],
    ['of half a character', String.raw`\u00*9 \u \ud83d\ude00`, String.raw`u00*9 u \ud83d\ude00`],
    ['before a control character', '\\\u0007', String.raw`\u0007`],
    ['behind a backslash that is one', String.raw`\\\*`, String.raw`\\*`],
  ])('is all that is taken out: %s', async (_about, before, after) => {
    const repaired = await repairBytes(Buffer.from(`${HEADER}\n${A}\n${entry(before)}\n${B}\n`));
    expect(Buffer.from(repaired.bytes).toString()).toBe(`${HEADER}\n${A}\n${entry(after)}\n${B}\n`);
    expect(repaired.discarded).toEqual([]);
  });

  it('is counted, however many there are', async () => {
    const many = 1000;
    const file = `${HEADER}\n${A}\n${entry(String.raw`\*`)}\n${entry(String.raw`\*`.repeat(many))}\n`;
    expect(saidOf(await repairBytes(Buffer.from(file)), file)).toMatchObject([
      expect.stringMatching(/^3 invalid-escape e .*: 1 byte removed: a backslash that starts no escape$/),
      expect.stringMatching(/^4 invalid-escape e .*: 1000 bytes removed: backslashes that start no escape$/),
      expect.stringContaining('duplicate-id'),
    ]);
  });

  it('may stand in a key, and in a text that breaks off', async () => {
    const file = `${HEADER}\n${A}\n{"type":"x","id":"e","\\parentId":"a"}\n${TORN}\\*`;
    const repaired = await repairBytes(Buffer.from(file));
    expect(Buffer.from(repaired.bytes).toString()).toBe(
      `${HEADER}\n${A}\n{"type":"x","id":"e","parentId":"a"}\n${TORN}*"}}\n`,
    );
  });
});
