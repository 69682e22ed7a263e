import { expect, test } from 'vitest';
import { openSession, type OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { expectSameHistory, partsOf } from '../../support/codex-parts.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { ctx, memoryFiles } from '../../support/memory-io.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';

const IDS = [1, 2, 3].map((at) => `019ca000-000${at}-7000-8000-00000000000${at}`);
const FOLDER = '/home/ada/.codex/sessions/2026/02/28';

/** A rollout as several files. Each has all lines that the whole has from its place on, so that the rest must be cut. */
function continued(whole: string, cuts: readonly number[]): Readonly<Record<string, string>> {
  const lines = whole.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const files: Record<string, string> = {};
  let before = '';
  for (const [at, id] of IDS.slice(0, cuts.length + 1).entries()) {
    const start = cuts[at - 1] ?? 0;
    const origin = IDS[at - 1];
    const base = origin === undefined ? {} : { forked_from_id: origin, history_base: baseOf(origin, before) };
    const header = at === 0 ? '' : line('session_meta', { id, cli_version: '0.153.0', ...base });
    files[`${FOLDER}/rollout-2026-02-28T10-00-0${at}-${id}.jsonl`] = header + lines.slice(start).join('');
    before = header + lines.slice(start, cuts[at]).join('');
  }
  return files;
}

function baseOf(rollout: string, before: string): object {
  const ordinal = before.split('\n').length - 1;
  return { thread_id: rollout, end_ordinal_exclusive: ordinal, end_byte_offset: Buffer.byteLength(before) };
}

function line(type: string, payload: object): string {
  return `${JSON.stringify({ timestamp: '2026-02-28T10:00:00.000Z', type, payload })}\n`;
}

async function open(files: Readonly<Record<string, string>>, file: string): Promise<OpenSession> {
  return openSession(file, memoryFiles({ ...files }));
}

test(`${runs(300)} generated rollouts have the same history in one file and in several`, async () => {
  for (let seed = 1; seed <= runs(300); seed += 1) {
    const random = new Random(seed);
    const whole = generateRollout(seed);
    const most = whole.split('\n').length - 1;
    const cuts = Array.from({ length: random.int(1, 2) }, () => random.int(1, most)).toSorted((a, b) => a - b);
    const files = continued(whole, cuts);
    const session = await open(files, Object.keys(files).at(-1) ?? '');
    expectSameHistory(session, whole);
    expect(session.problems.map(({ code }) => code)).not.toContain('history-elsewhere');
    const origin = await open(files, Object.keys(files)[0] ?? '');
    for (const { id, time, index, line: number } of session.tree.heads)
      if (number <= (cuts[0] ?? 0)) expect(origin.tree.heads.at(index)).toMatchObject({ id, time });
  }
});

/** Two turns, of which the fork keeps the first, and one turn of its own. */
const TURNS = ['one', 'two', 'three'].map((word) => turn(word));

function turn(word: string): string {
  const text = (role: string, type: string): object => ({ type: 'message', role, content: [{ type, text: word }] });
  const info = { last_token_usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 } };
  const item =
    line('response_item', text('user', 'input_text')) + line('response_item', text('assistant', 'output_text'));
  return (
    item +
    line('event_msg', {
      type: 'token_count',
      info: { ...info, total_token_usage: { output_tokens: word.charCodeAt(1) } },
    })
  );
}

const [FIRST = '', FORK = ''] = IDS;
const HEADER = line('session_meta', { id: FIRST, cli_version: '0.153.0', base_instructions: { text: 'Be brief.' } });
const NAME = `${FOLDER}/rollout-2026-02-28T10-00-00-${FIRST}.jsonl`;
const ORIGIN = { [NAME]: HEADER + TURNS[0] + TURNS[1] };
const BASE = baseOf(FIRST, HEADER + TURNS[0]);

function fork(meta: object, base: object | undefined = BASE): Readonly<Record<string, string>> {
  const file = `/home/ada/.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${FORK}.jsonl`;
  return { [file]: line('session_meta', { id: FORK, cli_version: '0.153.0', history_base: base, ...meta }) + TURNS[2] };
}

const forkIn = (files: Readonly<Record<string, string>>): string =>
  Object.keys(files).find((name) => name.includes(FORK)) ?? '';
const wordsOf = (session: OpenSession): readonly string[] =>
  partsOf(session).map(({ text }) => text.replace('says ', ''));

test('a fork in the folder of another day has the turns before it, which are counted once', async () => {
  const files = { ...ORIGIN, ...fork({ forked_from_id: FIRST }) };
  const session = await open(files, forkIn(files));
  expect(wordsOf(session)).toEqual(['one', 'one', 'three', 'three']);
  expect(session.agent?.parts).toMatchObject({ system: 'recorded', messages: 'recorded' });
  expect(session.header).toMatchObject({ id: FORK, fields: { parentSession: FIRST } });
  const { stdout } = await ctx(['stats', '/home/ada/.codex/sessions', '--json'], { files });
  expect(JSON.parse(stdout)).toMatchObject({ usageRecorded: { calls: 3, input: 300 } });
  const listed = await ctx(['ls', '/home/ada/.codex/sessions', '--json'], { files });
  expect(listed.stdout).toContain(`"parentSession":"${FIRST}"`);
  const found = await ctx(['grep', 'one', forkIn(files)], { files });
  expect(found.stdout).toMatch(/user .*one\n.*assistant .*one\n/);
});

test('a thread that went back to an earlier turn is no fork of itself', async () => {
  const files = { ...ORIGIN, ...fork({ id: FIRST }) };
  const { header, tree } = await open(files, forkIn(files));
  expect(header.fields['parentSession']).toBeUndefined();
  expect(new Set([...tree.heads].map(({ id }) => id)).size).toBe(tree.heads.length);
});

test.each([
  [undefined, ['Be brief.']],
  ['Be brief.', ['Be brief.']],
  ['Be long.', ['Be long.']],
])('the instructions of a fork are %j', async (text, expected) => {
  const files = { ...ORIGIN, ...fork(text === undefined ? {} : { base_instructions: { text } }) };
  const session = await open(files, forkIn(files));
  const { system } = buildEnvelope(session, session.tree.leaf);
  expect(system.parts.map((part) => part.text)).toEqual(expected);
  expect([...session.tree.heads.ofType('context_transform')]).toHaveLength(text === 'Be long.' ? 2 : 1);
});

const archived = { [NAME.replace(/sessions.*\//, 'archived_sessions/')]: HEADER + TURNS[0] };
const twice = { ...ORIGIN, [NAME.replace('T10', 'T11')]: HEADER + TURNS[0] };

test.each<[string, Readonly<Record<string, string>>, object, boolean]>([
  ['is archived', archived, BASE, true],
  ['is missing', {}, BASE, false],
  ['is there twice', twice, BASE, false],
  ['ends within a line', ORIGIN, { ...BASE, end_byte_offset: HEADER.length + 5 }, false],
  ['is shorter', ORIGIN, { ...BASE, end_byte_offset: 1e9 }, false],
  ['has no place', ORIGIN, { thread_id: FIRST }, false],
  ['has an invalid place', ORIGIN, { thread_id: FIRST, end_byte_offset: -1.5 }, false],
  ['has another id', ORIGIN, { ...BASE, thread_id: 7 }, false],
  ['is itself', ORIGIN, { ...BASE, thread_id: FORK }, false],
  ['is elsewhere', ORIGIN, { ...BASE, thread_id: `../28/rollout-2026-02-28T10-00-00-${FIRST}` }, false],
])('the rollout before %s', async (_, before, base, isFound) => {
  const files = { ...before, ...fork({}, base) };
  const session = await open(files, forkIn(files));
  expect(wordsOf(session)).toEqual(isFound ? ['one', 'one', 'three', 'three'] : ['three', 'three']);
  expect(session.problems.map(({ code }) => code)).toEqual(isFound ? [] : ['history-elsewhere']);
  expect(session.agent?.parts.messages).toBe(isFound ? 'recorded' : 'approximate');
});

test('two rollouts that continue each other end the search', async () => {
  const files = {
    ...fork({}),
    [NAME]: line('session_meta', { id: FIRST, history_base: { thread_id: FORK, end_byte_offset: 3 } }),
  };
  const session = await open(files, forkIn(files));
  expect(session.problems).toMatchObject([{ code: 'history-elsewhere', severity: 'warning', line: 1 }]);
});
