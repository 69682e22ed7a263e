import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { expectLinearTime } from '../../support/growth.js';

const text = readFileSync(path.join(projectFolder, 'fixtures/agents/kimi-code/wire.jsonl'), 'utf8');
const lines = text.trimEnd().split('\n');
const compaction = lines.findIndex((line) => line.includes('"context.apply_compaction"'));

/** Role and texts of the messages at an answer, or at the leaf. */
function textsAt(session: OpenSession, answer?: number): readonly string[] {
  const answers = [...session.tree.heads].filter(({ role }) => role === 'assistant');
  const head = answer === undefined ? session.tree.leaf : (answers[answer] ?? null);
  return buildEnvelope(session, head).messages.cached.map(({ role, content }) => {
    const blocks = content as { readonly [key in 'text' | 'thinking' | 'name']?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.thinking ?? block.name).join(' | ')}`;
  });
}

const TALK = [
  'user: The harbour lies at the north coast.',
  'user: When is the next flood?',
  'assistant: The table has it. | I look it up. | tide | tide',
  'toolResult: High water at 14:10. | One row.',
  'toolResult: no table for tomorrow',
  'user: Say it briefly.',
  'assistant: At 14:10.',
];

test('a message that comes while a call runs follows the results', async () => {
  expect(textsAt(await opened(text), 1)).toEqual(TALK);
});

test('an undo takes back a message of the user and what follows, and the prompt and tools stay', async () => {
  const session = await opened(text);
  expect(textsAt(session, 3)).toEqual([...TALK, 'user: And the ebb?', 'assistant: At 20:20.']);
  const { system, tools } = buildEnvelope(session, session.tree.leaf);
  expect([system.parts.map((part) => part.text), tools.map(({ name }) => name)]).toEqual([
    ['You know every tide.'],
    ['tide'],
  ]);
});

test('a prompt and tools that were declared after the place of an undo are declared again there, and no others', async () => {
  const undo = (count: number): object => ({ type: 'context.undo', agentId: 'main', count });
  const before = lines.slice(0, compaction);
  const declared = async (...after: readonly object[]): Promise<readonly unknown[]> => {
    const session = await opened([...before, ...after.map((record) => JSON.stringify(record))].join('\n'));
    const { system, tools } = buildEnvelope(session, session.tree.leaf);
    const ops = [...session.tree.heads].filter(({ type }) => type === 'context_transform').length;
    return [ops, system.parts.length, tools.length, textsAt(session).length];
  };
  expect(await declared(undo(1))).toEqual([2, 1, 1, 7]);
  // The prompt of the profile is before the first message, so that it stays.
  expect(await declared(undo(3))).toEqual([3, 1, 1, 0]);
});

test('a compaction keeps the messages of the user, before the summary', async () => {
  expect(textsAt(await opened(text))).toEqual([
    'user: When is the next flood?',
    'user: Say it briefly.',
    'user: And the ebb?',
    'user: A summary of the talk:\nFlood at 14:10, ebb at 20:20.',
    'user: Thanks. Is it a spring tide?',
    'assistant: No, a neap tide.',
  ]);
});

const compacted = JSON.parse(lines[compaction] ?? '') as object;
const withCompaction = (change: object, ...after: readonly object[]): string =>
  [
    ...lines.slice(0, compaction),
    JSON.stringify({ ...compacted, ...change }),
    ...after.map((record) => JSON.stringify({ time: 1_788_252_099_000, ...record })),
  ].join('\n');

test('a compaction of an early version keeps the newest messages of all kinds, after the summary', async () => {
  const early = withCompaction({ keptUserMessageCount: undefined, contextSummary: undefined, compactedCount: 6 });
  expect(textsAt(await opened(early))).toEqual([
    'user: Flood at 14:10, ebb at 20:20.',
    'assistant: At 14:10.',
    'user: And the ebb?',
    'assistant: At 20:20.',
  ]);
});

test('an undo after a compaction goes back to the kept messages, and not beyond the summary', async () => {
  const undo = { type: 'context.undo', agentId: 'main', count: 1 };
  const early = { keptUserMessageCount: undefined, contextSummary: undefined, compactedCount: 6 };
  expect(textsAt(await opened(withCompaction(early, undo)))).toEqual([
    'user: Flood at 14:10, ebb at 20:20.',
    'assistant: At 14:10.',
  ]);
  const session = await opened(withCompaction({}, undo));
  expect(textsAt(session)).toHaveLength(4);
});

test('a compaction that leaves out messages of the user says so, and is approximate', async () => {
  const session = await opened(withCompaction({ keptUserMessageCount: 2, keptHeadUserMessageCount: 1 }));
  expect(textsAt(session)).toEqual([
    'user: When is the next flood?',
    'user: [the client left out messages of the user]',
    'user: And the ebb?',
    'user: A summary of the talk:\nFlood at 14:10, ebb at 20:20.',
  ]);
  expect(session.agent?.parts.compactions).toBe('approximate');
});

test('a call without a result gets one when the next step begins, and an empty answer is none', async () => {
  const event = (fields: object): object => ({ type: 'context.append_loop_event', agentId: 'main', event: fields });
  const session = await opened(
    withCompaction(
      {},
      event({ type: 'step.begin', uuid: 's5' }),
      event({ type: 'tool.call', stepUuid: 's5', toolCallId: 'c9', name: 'tide' }),
      event({ type: 'step.begin', uuid: 's6' }),
      event({ type: 'content.part', stepUuid: 's6', part: { type: 'text', text: ' ' } }),
      event({ type: 'step.begin', uuid: 's7' }),
      event({ type: 'content.part', stepUuid: 's6', part: { type: 'text', text: 'Too late' } }),
    ),
  );
  expect(textsAt(session).slice(4)).toEqual([
    'assistant: tide',
    'toolResult: [the client reports that the call was interrupted]',
  ]);
});

test('a clear leaves no message, and the tokens count once: those of a compaction beside the requests', async () => {
  expect(textsAt(await opened(withCompaction({}, { type: 'context.clear', agentId: 'main' })))).toEqual([]);
  const session = await opened(text);
  const counted = [...session.tree.heads].filter((head) => head.usageLength > 0);
  expect(counted.map((head) => [head.role ?? head.type, session.usage(head)?.['totalTokens']])).toEqual([
    ['assistant', 960],
    ['assistant', 1028],
    ['assistant', 1069],
    ['assistant', 1072],
    ['model_usage', 1110],
    ['assistant', 169],
  ]);
});

test('the records of another agent of the session are those of its subagent', async () => {
  const { readAgentSession } = await import('#session/agents/reader.js');
  const { toByteSource } = await import('../../../src/session/scan/byte-source.js');
  const session = readAgentSession(toByteSource(Buffer.from(text)), '/k/sessions/w/S1/agents/helper/wire.jsonl');
  expect(session?.header).toMatchObject({ id: 'S1-helper', fields: { parentSession: 'S1' }, cwd: '/home/ada/tides' });
  expect(session?.agent?.isSubagent).toBe(true);
});

test('the messages of a protocol after the known ones are approximate in their compactions, too', async () => {
  const parts = async (version: string) =>
    (await opened(text.replace('"protocol_version":"1.5"', `"protocol_version":"${version}"`))).agent?.parts;
  expect([(await parts('1.5'))?.compactions, (await parts('1.6'))?.compactions]).toEqual(['recorded', 'approximate']);
});

test('an undo of no message changes nothing, and one of more messages than there are is found out in linear time', async () => {
  const undo = (count: number): string => JSON.stringify({ type: 'context.undo', agentId: 'main', count });
  const [before, after] = await Promise.all([opened(text), opened(`${text.trimEnd()}\n${undo(0)}\n`)]);
  expect([after.tree.heads.length, textsAt(after)]).toEqual([before.tree.heads.length, textsAt(before)]);
  expect(after.agent?.unusedLines).toBe((before.agent?.unusedLines ?? 0) + 1);
  const prompt = lines.find((line) => line.includes('"context.append_message"')) ?? '';
  await expectLinearTime((count) => {
    const prompts = Array.from({ length: count }, () => prompt);
    const content = [lines[0], ...prompts, undo(count * 30)].join('\n');
    return async () => expect((await opened(content)).tree.heads.length).toBe(count);
  }, 500);
});

test('the prompt of a profile is that of the requests, which have only its hash', async () => {
  const bound = lines.map((line) => {
    const record = JSON.parse(line) as Record<string, unknown>;
    delete record['systemPrompt'];
    return JSON.stringify(record['type'] === 'profile.bind' ? { ...record, systemPrompt: 'You bind.' } : record);
  });
  const bind = JSON.stringify({ type: 'profile.bind', agentId: 'main', systemPrompt: 'You bind.', time: 1 });
  const [start = '', ...rest] = bound.filter((line) => !line.includes('"profile.bind"'));
  const session = await opened([start, bind, ...rest].join('\n'));
  expect(buildEnvelope(session, session.tree.leaf).system.parts.map((part) => part.text)).toEqual(['You bind.']);
  expect(session.agent?.parts.system).toBe('recorded');
});
