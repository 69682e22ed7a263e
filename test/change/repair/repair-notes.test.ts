import { expect, it } from 'vitest';
import {
  assistant,
  calling,
  compaction,
  type Entry,
  entry,
  HEADER,
  label,
  lines,
  toolResult,
  user,
} from '../../support/entries.js';
import { repairBytes, saidOf } from '../../support/repaired.js';

const withoutId = ({ id: _id, ...rest }: Entry): Entry => rest;
const U1 = user('u1', null);
const torn = (parentId: string | null): string => JSON.stringify(assistant('a1', parentId)).slice(0, 50);
const edit = (id: string, parentId: string, targetId: string, replacement: unknown): Entry =>
  entry('context_edit', id, parentId, { targetId, replacement });

/** The reports about a repaired session: line, rule, entry and message; new ids are called by their number. */
async function said(parts: readonly (Entry | string)[]): Promise<readonly string[]> {
  const file = lines(HEADER, ...parts);
  const fresh: string[] = [];
  const named = (id: string): string => {
    if (!fresh.includes(id)) fresh.push(id);
    return `new${fresh.indexOf(id) + 1}`;
  };
  return saidOf(await repairBytes(Buffer.from(file)), file)
    .filter((line) => !line.includes(' lost: '))
    .map((line) => line.replace(/ \d+\+\d+:/, ':').replaceAll(/\b[0-9a-f]{8}\b/g, named));
}

it.each<readonly [string, readonly (Entry | string)[], readonly string[]]>([
  [
    'an orphan',
    [U1, user('u2', 'gone')],
    ['3 orphan u2: now follows "u1", the entry before it in the file: its parent "gone" does not exist'],
  ],
  ['an orphan at the beginning', [user('u1', 'gone')], ['2 orphan u1: now a root: its parent "gone" does not exist']],
  [
    'parents that are odd',
    [U1, user('u2', 7), user('u3', 'x"y')],
    [
      '3 orphan u2: now follows "u1", the entry before it in the file: its parent "7" does not exist',
      '4 orphan u3: now follows "u2", the entry before it in the file: its parent "x\\"y" does not exist',
    ],
  ],
  [
    'a lost parent',
    [U1, torn('u1'), user('u2', 'a1')],
    ['4 orphan u2: now follows "u1", which preceded its lost parent "a1"'],
  ],
  ['a lost root', [torn(null), user('u2', 'a1')], ['3 orphan u2: now a root, which preceded its lost parent "a1"']],
  ['no id', [U1, withoutId(user('', 'u1'))], ['3 no-id -: new id "new1"']],
  ['an id that others know', [U1, withoutId(user('', 'u1')), user('u3', 'u2')], ['3 no-id -: new id "u2"']],
  [
    'neither id nor parent',
    [U1, entry('custom', undefined, undefined), user('u3', undefined)],
    [
      '3 no-id -: new id "new1"',
      '3 no-id -: now follows "u1", the entry before it in the file: it had no parent',
      '4 no-id u3: now follows "new1", the entry before it in the file: it had no parent',
    ],
  ],
  [
    'one id for two',
    [U1, user('u1', 'u1'), user('u2', 'u1'), label('l1', 'u2', 'u1', 'x'), compaction('k1', 'l1', 'u1')],
    [
      '3 duplicate-id u1: new id "new1", because another entry has "u1"',
      '4 duplicate-id u2: now follows "new1", the earlier entry with the id "u1"',
      '5 duplicate-id l1: now targets "new1", the earlier entry with the id "u1"',
      '6 duplicate-id k1: now targets "new1", the earlier entry with the id "u1"',
    ],
  ],
  [
    'a circle',
    [U1, user('u2', 'u3'), user('u3', 'u2')],
    ['3 cycle u2: now follows "u1", the entry before it in the file: its parent "u3" was a descendant'],
  ],
  [
    'a circle at the beginning',
    [user('u2', 'u3'), user('u3', 'u2')],
    ['2 cycle u2: now a root: its parent "u3" was a descendant'],
  ],
  [
    'a compaction that keeps from a lost entry',
    [U1, torn('u1'), user('u2', 'a1'), compaction('k1', 'u2', 'a1')],
    [
      '4 orphan u2: now follows "u1", which preceded its lost parent "a1"',
      '5 dangling-compaction k1: now keeps from "u2"',
    ],
  ],
  [
    'calls without results',
    [U1, calling('a1', 'u1', ['c1', 'c2']), user('u2', 'a1')],
    [
      '3 call-without-result a1: "new1" states that the result of the call "c1" is missing',
      '3 call-without-result a1: "new2" states that the result of the call "c2" is missing',
      '4 call-without-result u2: now follows "new2"',
    ],
  ],
  [
    'a call without a result, which an edit has made',
    [
      U1,
      assistant('a1', 'u1'),
      user('u2', 'a1'),
      edit('e1', 'u2', 'a1', { content: [{ type: 'toolCall', id: 'c1', name: 'read', arguments: {} }] }),
    ],
    [
      '3 call-without-result a1: "new1" states that the result of the call "c1" is missing',
      '4 call-without-result u2: now follows "new1"',
    ],
  ],
  [
    'a late result',
    [U1, calling('a1', 'u1', ['c1']), user('u2', 'a1'), toolResult('r1', 'u2', 'c1')],
    [
      '3 call-without-result a1: "new1" repeats the result of the call "c1"',
      '4 call-without-result u2: now follows "new1"',
      '5 result-out-of-order r1: "new2" omits the result from the context',
    ],
  ],
  [
    'an early result',
    [U1, toolResult('r1', 'u1', 'c1'), calling('a1', 'r1', ['c1']), user('u2', 'a1')],
    [
      '3 result-out-of-order r1: "new1" omits the result from the context',
      '4 call-without-result a1: "new2" states that the result of the call "c1" is missing',
      '5 call-without-result u2: now follows "new2"',
    ],
  ],
  [
    'a result without a call',
    [U1, toolResult('r1', 'u1', 'c1')],
    ['3 result-without-call r1: "new1" omits the result from the context'],
  ],
  [
    'a result of a call that failed',
    [U1, calling('a1', 'u1', ['c1'], 'error'), toolResult('r1', 'a1', 'c1')],
    ['4 result-without-call r1: "new1" omits the result from the context'],
  ],
  [
    'two results',
    [U1, calling('a1', 'u1', ['c1']), toolResult('r1', 'a1', 'c1'), toolResult('r2', 'r1', 'c1')],
    ['5 duplicate-result r2: "new1" omits the result from the context'],
  ],
  [
    'a result parted from its call',
    [U1, calling('a1', 'u1', ['c1']), toolResult('r1', 'a1', 'c1'), compaction('k1', 'r1', 'r1')],
    ['4 compaction-in-tool-pair r1: "new1" omits the result from the context'],
  ],
  ['two calls of one id', [U1, calling('a1', 'u1', ['c1', 'c1']), toolResult('r1', 'a1', 'c1'), user('u2', 'r1')], []],
])('of %s it is said what was done', async (_what, parts, expected) => {
  expect(await said(parts)).toEqual(expected);
});

it('what is added is as old as what it is added to, or as the beginning of time', async () => {
  const added = async (timestamp: unknown): Promise<unknown> => {
    const parts = [U1, { ...calling('a1', 'u1', ['c1']), timestamp }, toolResult('r9', 'a1', 'c9')];
    const { bytes } = await repairBytes(Buffer.from(lines(HEADER, ...parts)));
    const entries = Buffer.from(bytes)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry & { message?: Entry });
    return entries
      .filter(({ id }) => /^[0-9a-f]{8}$/.test(String(id)))
      .map((each) => [each['type'], each['timestamp'], each.message?.['timestamp'], each['replacement']]);
  };
  const omitted = ['context_edit', '2026-01-05T09:00:01.000Z', undefined, null];
  expect(await added('2026-01-05T10:00:00+01:00')).toEqual([
    ['message', '2026-01-05T09:00:00.000Z', Date.UTC(2026, 0, 5, 9), undefined],
    omitted,
  ]);
  for (const timestamp of ['when?', undefined, null])
    expect(await added(timestamp)).toEqual([['message', '1970-01-01T00:00:00.000Z', 0, undefined], omitted]);
});

it('a call without a name is called unknown', async () => {
  const nameless = { type: 'toolCall', id: 'c1', arguments: {} };
  const answer = entry('message', 'a1', 'u1', { message: { role: 'assistant', content: [nameless] } });
  const { bytes } = await repairBytes(Buffer.from(lines(HEADER, U1, answer)));
  expect(Buffer.from(bytes).toString()).toContain('"toolCallId":"c1","toolName":"unknown"');
});
