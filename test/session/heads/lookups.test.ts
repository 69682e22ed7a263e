import { describe, expect, it } from 'vitest';
import { asCount, asString, asText, isObject, listObjects } from '#base/json.js';
import { toHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';
import { indexLabels, labelsOf } from '#session/session.js';
import { readSession } from '../../../src/session/read-session.js';
import { sumRecordedCost } from '../../../src/session/recorded-cost.js';
import { type ByteSource, toByteSource } from '../../../src/session/scan/byte-source.js';
import { buildReadAhead } from '../../../src/session/scan/read-ahead.js';
import { findHeadAtLine } from '../../../src/session/tree/head-at-line.js';
import {
  assistant,
  bytes,
  entry,
  type Entry,
  HEADER,
  label,
  lines,
  sessionOf,
  sourceOf,
  TALK,
  user,
} from '../../support/entries.js';

const answer = (id: string, parentId: string | null, usage: unknown): Entry => assistant(id, parentId, [], { usage });

describe('what a session has cost', () => {
  it.each<[string, readonly Entry[], number | null]>([
    ['is unknown without entries', [], null],
    ['is unknown where no entry says it', TALK, null],
    ['is unknown where usage says no cost', [answer('a1', null, { input: 5 })], null],
    ['is unknown where it is no number', [answer('a1', null, { cost: { total: '1' } })], null],
    ['is unknown where it is no object', [answer('a1', null, { cost: 3 })], null],
    ['may be nothing', [answer('a1', null, { cost: { total: 0 } })], 0],
    [
      'is the sum over all branches, calls and summaries',
      [
        answer('a1', null, { cost: { total: 0.5 } }),
        answer('a2', 'a1', { cost: { total: 0.25 } }),
        answer('x1', 'a1', { cost: { total: 1 } }),
        user('u1', 'x1'),
        entry('usage', 'g1', 'u1', { usage: { cost: { total: 2 } } }),
        entry('branch_summary', 'b1', 'g1', { summary: 's', usage: { cost: { total: 4 } } }),
      ],
      7.75,
    ],
  ])('%s', (_, entries, cost) => {
    expect(sumRecordedCost(sessionOf(...entries))).toBe(cost);
  });

  // Pi writes the total last, where it is read without the rest of the usage.
  it.each([
    '{"input":1,"cost":{"input":0.1,"total":0.30000000000000004}}',
    '{"cost":{"total":1e-7}}',
    '{"cost":{"total":-1}}',
    '{"cost":{"total":0.5,"input":0.1}}',
    '{"cost":{"total":0.5},"input":1}',
    '{"cost": {"total":0.5}}',
    '{"cost":{"total":0.5 }}',
    '{"cost":{"total":0.5},"cost":{"total":0.25}}',
    '{"cost":{"total":0.5},"c\\u006fst":{"total":0.25}}',
    '{"cost":{"total":0.5,"t\\u006ftal":0.25}}',
    '{"cost":{"more":{"total":0.5}}}',
    '{"more":{"cost":{"total":0.5}}}',
    '{"cost":{"total":0.5},"more":{"total":0.25}}',
    '{"cost":{"more":"}{","total":0.5}}',
    '{"note":"\\"cost\\":{\\"total\\":0.5}}"}',
    '{"cost":{"total":"0.5"}}',
    '{"cost":{"total":null}}',
    `{"cost":{${'"x":0,'.repeat(100)}"total":0.5}}`,
  ])('is that of the parsed usage: %s', (usage) => {
    const answers = Array.from({ length: 400 }, (_, at) =>
      JSON.stringify(answer(`0000${String(at).padStart(4, '0')}`, null, 'USAGE')).replace('"USAGE"', () => usage),
    );
    const total: unknown = (JSON.parse(usage) as { cost?: { total?: unknown } }).cost?.total;
    const expected = asCount(total) === null ? null : answers.reduce((sum) => sum + Number(total), 0);
    expect(sumRecordedCost(readSession(toByteSource(bytes(lines(HEADER, ...answers))), 's.jsonl'))).toBe(expected);
  });
});

describe('the parent of an entry', () => {
  const at = { line: 1, offset: 0, length: 0 };
  const parentsOf = (...ids: readonly (readonly [id: string, parentId: string | null])[]): readonly number[] => {
    const heads = Heads.from(ids.map(([id, parentId]) => toHead({ type: 'message', id, parentId }, at)));
    return ids.map((_, index) => heads.parentAt(index));
  };

  it('is the previous one, an earlier one or none', () => {
    expect(parentsOf(['0000000a', null], ['0000000b', '0000000a'], ['0000000c', '0000000a'])).toEqual([-1, 0, 0]);
  });

  // Other ids are stored as their places in a list, of which the first is 2.
  it('is not a previous one whose id is stored as the same number', () => {
    expect(parentsOf(['own', null], ['0000000b', '00000002'], ['0000000c', 'own'])).toEqual([-1, -1, 0]);
  });
});

describe('the usage of an entry', () => {
  it.each<[string, Entry | string, unknown]>([
    ['of a message', answer('a1', null, { input: 5 }), { input: 5 }],
    ['of a call', entry('usage', 'g1', null, { usage: { input: 6 } }), { input: 6 }],
    ['that is there twice', '{"type":"usage","id":"00000001","usage":{"a":1},"usage":{"a":2}}', { a: 2 }],
    ['of a message without any', user('u1', null), null],
    ['that is no object', answer('a1', null, 7), null],
    ['with a key that is escaped', '{"type":"usage","id":"00000001","us\\u0061ge":{"a":1}}', { a: 1 }],
  ])('%s is read without the rest, or with it', (_, line, usage) => {
    const text = lines(HEADER, line);
    const source: ByteSource = sourceOf(text);
    for (const isStrict of [false, true]) {
      const session = readSession({ ...source, isStrict }, 'f');
      expect(session.usage(session.tree.heads.at(0)!)).toEqual(usage);
      expect(session.isStrict).toBe(isStrict);
    }
  });
});

describe('an entry by its line', () => {
  it('is the one that stands there', () => {
    const session = sessionOf(TALK[0]!, '', TALK[1]!, '{junk', TALK[2]!, TALK[3]!);
    const ids = Array.from({ length: 10 }, (_, line) => findHeadAtLine(session, line)?.id);
    expect(ids).toEqual([undefined, undefined, 'u1', undefined, 'a1', undefined, 'u2', 'a2', undefined, undefined]);
    expect(findHeadAtLine(sessionOf(), 1)).toBeUndefined();
  });
});

describe('the line of an entry', () => {
  it('comes in pieces that make up all of it', () => {
    const long = user('u1', null, 'x'.repeat((1 << 18) * 2 + 5));
    const session = sessionOf(long, user('u2', 'u1'));
    const [first, second] = [...session.tree.heads].map((head) =>
      Array.from(session.bytes(head), (piece) => Buffer.from(piece)),
    );
    expect(first!.map(({ length }) => length).slice(0, 2)).toEqual([1 << 18, 1 << 18]);
    expect(Buffer.concat(first!).toString()).toBe(lines(long));
    expect(second!.map(String)).toEqual([lines(user('u2', 'u1'))]);
  });
});

describe('labels', () => {
  const labelled = sessionOf(
    ...TALK,
    label('l1', 'a2', 'u1', 'one'),
    label('l2', 'l1', 'missing', 'lost'),
    label('l3', 'l2', undefined, 'nowhere'),
    label('l4', 'l3', null, 'null'),
    label('l5', 'l4', 'u2', 'two'),
    label('l6', 'l5', 'u1', 'again'),
  );

  it('are found by the id that they stand at', () => {
    expect([...labelsOf(labelled)]).toEqual([
      ['u1', 'again'],
      ['missing', 'lost'],
      [null, 'null'],
      ['u2', 'two'],
    ]);
  });

  it('are found by the place of the entry, where there is one', () => {
    expect([...indexLabels(labelled)]).toEqual([
      [0, 'again'],
      [2, 'two'],
    ]);
  });
});

describe('heads', () => {
  const span = { line: 2, offset: 10, length: 7 };
  const heads = Heads.from([toHead(user('u1', null), span), toHead(user(7, 'u1'), { ...span, line: 3, offset: 17 })]);

  it('end where the last one ends', () => {
    expect([heads.end, new Heads().end]).toEqual([24, 0]);
    expect([new Heads().last, heads.at(-1), heads.at(2)]).toEqual([undefined, undefined, undefined]);
    expect(heads.last).toMatchObject({ id: 7, parentId: 'u1', offset: 17, length: 7, line: 3 });
  });

  it('say nothing of what is not there', () => {
    expect([heads.typeAt(5), heads.roleAt(5), heads.lineAt(5), heads.offsetAt(5), heads.parentAt(5)]).toEqual([
      null,
      null,
      0,
      0,
      -1,
    ]);
  });

  it('give digits only for ids that are eight of them', () => {
    const ids = ['0000000a', '0000000A', 'a', 10, '000000010', null, undefined, 'ffffffff', '-0000001', '0x000001'];
    const all = Heads.from(ids.map((id, at) => toHead(user(id, id), { ...span, line: at })));
    expect(ids.map((_, at) => all.idDigitsAt(at))).toEqual([
      10,
      ...Array.from({ length: 6 }, () => null),
      0xffffffff,
      null,
      null,
    ]);
    expect(ids.map((_, at) => all.idAt(at, 'id'))).toEqual(ids);
    expect(ids.map((_, at) => all.idAt(at, 'parentId'))).toEqual(ids);
  });

  it('that are added one by one are known when they are asked for', () => {
    const growing = new Heads();
    const sound: boolean[] = [];
    for (let at = 0; at < 100; at += 1) {
      growing.push(
        toHead(entry(at % 3 === 0 ? 'custom' : 'message', `e${at}`, at === 0 ? null : `e${at - 1}`), {
          ...span,
          line: at,
        }),
      );
      sound.push(growing.parentAt(at) === at - 1 && growing.find(`e${at}`)?.index === at && growing.areParentsAbove());
    }
    expect(sound).not.toContain(false);
    expect([...growing.ofType('custom')].map(({ index }) => index)).toEqual(
      Array.from({ length: 34 }, (_, at) => at * 3),
    );
    expect(growing.ancestorsOf(99).map(({ index }) => index)).toEqual(Array.from({ length: 99 }, (_, at) => at));
    expect([growing.has('e50'), growing.has('e100'), growing.entryOfIdAt(7)]).toEqual([true, false, 7]);
  });
});

describe('reading ahead', () => {
  const content = Uint8Array.from({ length: 1_000_000 }, (_, at) => (at * 7) % 253);

  it('gives the bytes that are there, in whatever order they are asked for', () => {
    const source = toByteSource(content);
    const calls: (readonly [start: number, length: number])[] = [];
    const read = buildReadAhead((target, start) => {
      calls.push([start, target.length]);
      source.readInto(target, start);
    }, content.length);
    const places: readonly (readonly [number, number])[] = [
      [0, 10],
      [10, 20],
      [60, 70],
      [5, 9],
      [300_000, 300_010],
      [300_005, 300_020],
      [299_999, 300_001],
      [0, 300_000],
      [999_990, 1_000_000],
      [365_000, 365_536],
      [0, 262_144],
      [262_144, 262_145],
      [7, 7],
    ];
    for (const [start, end] of places) expect(Buffer.compare(read(start, end), content.subarray(start, end))).toBe(0);
    // Who goes on reading gets more than asked for; what is held is not read again.
    expect(calls).toEqual([
      [0, 65_536],
      [300_000, 10],
      [300_005, 65_536],
      [299_999, 2],
      [0, 300_000],
      [999_990, 10],
      [365_000, 536],
      [0, 262_144],
      [262_144, 65_536],
      [7, 0],
    ]);
  });
});

describe('values', () => {
  it.each<[unknown, boolean, string | null, number | null, string]>([
    [{ a: 1 }, true, null, null, '{"a":1}'],
    [[1], false, null, null, '[1]'],
    [null, false, null, null, 'null'],
    [undefined, false, null, null, 'undefined'],
    ['x', false, 'x', null, 'x'],
    ['', false, '', null, ''],
    [7, false, null, 7, '7'],
    [0.5, false, null, 0.5, '0.5'],
    [-0.5, false, null, null, '-0.5'],
    [Number.MAX_SAFE_INTEGER, false, null, Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [-1, false, null, null, '-1'],
    [2 ** 53, false, null, null, '9007199254740992'],
    [Number.NaN, false, null, null, 'NaN'],
    [Infinity, false, null, null, 'Infinity'],
    [true, false, null, null, 'true'],
  ])('%j', (value, isIt, string, count, text) => {
    expect([isObject(value), asString(value), asCount(value), asText(value)]).toEqual([isIt, string, count, text]);
    expect(listObjects([value, value])).toEqual(isIt ? [value, value] : []);
    expect(listObjects(value)).toEqual([]);
  });
});
