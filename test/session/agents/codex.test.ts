import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { auditLoss } from '#analysis/loss/audit.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { readAgentSession } from '#session/agents/reader.js';
import type { Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { expectSameHistory, partsOf } from '../../support/codex-parts.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { opened } from '../../support/entries.js';
import { NO_SAMPLES, orNoSamples, projectFolder, samplesOf } from '../../support/files.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';

type Block = { readonly [key: string]: unknown };

test(`${runs(300)} generated rollouts have the history that Codex rebuilds, whole and at a random line`, async () => {
  for (let seed = 1; seed <= runs(300); seed += 1) {
    const text = generateRollout(seed);
    const lines = text.split('\n');
    const start = lines.slice(0, new Random(seed).int(1, lines.length)).join('\n');
    for (const each of [text, start]) expectSameHistory(await opened(each), each);
  }
});

test('the context is the one that the replaced messages lead to, which are not read', async () => {
  let unread = 0;
  for (let seed = 1; seed <= runs(1000); seed += 1) {
    const text = generateRollout(seed);
    // A message is kept only by one of its time.
    const session = await opened(seed % 2 === 0 ? text : text.replaceAll(/(?<="timestamp":")[^"]+/g, TIME));
    const read = new Set<number>();
    const entry = (head: Head): Block => (read.add(head.index), session.entry(head));
    const envelope = (given: OpenSession): unknown => buildEnvelope(given, session.tree.leaf);
    const quick = envelope({ ...session, entry });
    expect(quick).toEqual(envelope({ ...session, hasMessageTimes: false }));
    const heads = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
    unread += heads.filter(({ index, type }) => type === 'message' && !read.has(index)).length;
  }
  expect(unread).toBeGreaterThan(runs(30));
});

const TIME = '2026-03-02T09:00:00.000Z';

const rollouts = samplesOf('codex').filter((file) => !/claude-tap|session_|schema_drift/.test(file));

test.for(orNoSamples(rollouts))('%s has the history that Codex rebuilds', async (file, { skip }) => {
  skip(file === NO_SAMPLES, NO_SAMPLES);
  const text = readFileSync(file, 'utf8');
  expectSameHistory(await opened(text), text);
});

const fixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures/agents/codex', name), 'utf8');
const entriesOf = (session: OpenSession): readonly Block[] =>
  [...session.tree.heads].map((head) => session.entry(head));

test('an answer is one message with its parallel calls and its tokens', async () => {
  const session = await opened(fixture('rollout.jsonl'));
  const answers = entriesOf(session).flatMap(({ message }) => {
    const { role, content, usage, stopReason } = (message ?? {}) as Block;
    return role === 'assistant' ? [{ types: (content as Block[]).map(({ type }) => type), usage, stopReason }] : [];
  });
  expect(answers.map(({ types, stopReason }) => [...types, stopReason].join(' '))).toEqual([
    'thinking text toolCall toolCall toolUse',
    'text toolCall toolUse',
    'text stop',
    'toolCall toolUse',
    'toolCall toolUse',
    'text stop',
  ]);
  expect(answers[0]!.usage).toEqual({
    input: 9120 - 3456,
    output: 210,
    cacheRead: 3456,
    cacheWrite: 0,
    reasoning: 96,
    totalTokens: 9330,
    cost: {},
  });
});

test('a rollback is a branch, and a compaction replaces the messages', async () => {
  const session = await opened(fixture('rollout.jsonl'));
  const { heads, leaf } = session.tree;
  const user = [...heads].filter(({ role }) => role === 'user');
  expect(user).toHaveLength(3);
  expect(user[2]!.parentId).toBe(user[1]!.parentId);
  const envelope = buildEnvelope(session, leaf);
  expect(envelope.system.parts).toMatchObject([{ name: 'base_instructions' }]);
  expect(envelope.tools).toMatchObject([{ name: 'lookup_part', parameters: { type: 'object' } }]);
  expect(envelope.messages.cached.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user', 'assistant']);
  expect(partsOf(session)[3]).toEqual({ from: 'input', text: '[encrypted compaction, 24 characters]' });
});

test('the context window is the recorded one, unless the user sets another', async () => {
  const session = await opened(fixture('rollout.jsonl'));
  const limitOf = (options: object): unknown => {
    const { limit, sources } = buildEnvelope(session, session.tree.leaf, options).meta;
    return [limit, sources.limit];
  };
  expect(limitOf({ assumedWindow: () => 400_000 })).toEqual([258_400, 'recorded']);
  expect(limitOf({ limit: 9000 })).toEqual([9000, 'supplied']);
});

test('what Codex adds to the input is not a message of the user', async () => {
  const session = await opened(fixture('rollout.jsonl'));
  const added = entriesOf(session).flatMap(({ customType }) => customType ?? []);
  expect(added).toEqual(['developer', 'context', 'context']);
});

test('an image that the new history of a compaction sends again is not missing, another one is', async () => {
  const row = (second: number, type: string, payload: object): string =>
    JSON.stringify({ timestamp: `2026-03-02T09:00:0${second}.000Z`, type, payload });
  const user = (text: string, data: string): object => ({
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text },
      { type: 'input_image', image_url: `data:image/webp;base64,${data}` },
    ],
  });
  const kept = user('The map', 'AAAA');
  const text = [
    row(0, 'session_meta', { id: 'images' }),
    row(1, 'response_item', kept),
    row(2, 'response_item', user('The clouds', 'BBBB')),
    row(3, 'compacted', { message: '', replacement_history: [kept] }),
  ].join('\n');
  const session = await opened(text);
  const { facts } = auditLoss({ session }, session.tree.leaf!);
  const images = facts.filter((fact) => fact.class === 'images');
  expect(images.map(({ line, mention }) => [line, mention])).toEqual([
    [2, 'quoted'],
    [3, 'missing'],
  ]);
});

test.each([
  ['REDACTED', 1],
  ['[removed for privacy]', 1],
  ['gAAAAB1veryencrypted', 0],
])('reasoning with %j for its encrypted original has %i note for the whole file', async (encrypted, notes) => {
  const reasoning = { type: 'reasoning', summary: [], encrypted_content: encrypted };
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.' }] };
  const items = [reasoning, said, reasoning, said, reasoning].map((payload) => ({ type: 'response_item', payload }));
  const lines = [{ type: 'session_meta', payload: { id: 'shared' } }, ...items].map((line) => JSON.stringify(line));
  const found = (await opened(lines.join('\n'))).problems.filter(({ code }) => code === 'redacted-reasoning');
  expect(found).toHaveLength(notes);
  if (notes === 1)
    expect(found).toMatchObject([{ severity: 'note', line: 2, message: expect.stringContaining('3 items') }]);
});

test('a long message of the user is cut when an old compaction rebuilds the history', async () => {
  const item = (role: string, text: string): string =>
    JSON.stringify({
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
    });
  const text = [
    JSON.stringify({ type: 'session_meta', payload: { id: 'long' } }),
    item('user', 'dropped'),
    item('user', `${'a'.repeat(40_000)}${'b'.repeat(60_000)}`),
    item('user', 'newest'),
    JSON.stringify({ type: 'compacted', payload: { message: 'All of it.' } }),
  ].join('\n');
  const session = await opened(text);
  expectSameHistory(session, text);
  expect(partsOf(session).map((part) => part.text.length)).toEqual([80_015, 6, 10]);
});

test('a rollout that begins in another file says so', async () => {
  const base = { thread_id: 'other', end_ordinal_exclusive: 4 };
  const session = await opened(JSON.stringify({ type: 'session_meta', payload: { id: 'fork', history_base: base } }));
  expect(session.problems).toMatchObject([{ code: 'history-elsewhere', severity: 'warning', line: 1 }]);
  expect(session.agent?.parts).toMatchObject({ messages: 'approximate' });
});

test('counts are repeated if their numbers are, whether long texts in them are parsed or not', async () => {
  const count = (at: number): object => {
    const usage = { input_tokens: 5 + Math.floor(at / 2), output_tokens: 1, output: `${'x'.repeat(99)}${at}` };
    return { type: 'token_count', info: { total_token_usage: usage, last_token_usage: usage } };
  };
  const events = Array.from({ length: 400 }, (_, at) => JSON.stringify({ type: 'event_msg', payload: count(at) }));
  const source = toByteSource(Buffer.from(`${events.join('\n')}\n`));
  for (const isStrict of [false, true])
    expect(readAgentSession({ ...source, isStrict }, 'rollout.jsonl')?.tree.heads.length).toBe(200);
});
