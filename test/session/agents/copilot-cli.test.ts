import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

/** Recorded by Copilot CLI 1.0.102: a question with a call, a resume, and two compactions. */
const text = readFileSync(path.join(projectFolder, 'fixtures/agents/copilot-cli/events.jsonl'), 'utf8');

type Event = { type: string; data: Record<string, unknown>; [key: string]: unknown };
const events = text
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Event);
const linesOf = (list: readonly unknown[]): string => list.map((event) => `${JSON.stringify(event)}\n`).join('');

function textsAt(session: OpenSession, number?: number): readonly string[] {
  const answers = [...session.tree.heads].filter(({ role }) => role === 'assistant');
  const head = number === undefined ? session.tree.leaf : (answers[number] ?? null);
  return buildEnvelope(session, head).messages.cached.map(({ role, content }) => {
    const blocks = content as { text?: string; name?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.name).join(' | ')}`;
  });
}

const FIRST = '<current_datetime>2026-11-29T04:35:58.123+00:00</current_datetime>\n\nWhere is the harbour?';

it('a session has the messages that the client sent, and the prompt', async () => {
  const session = await opened(text);
  expect(textsAt(session, 2)).toEqual([
    `user: ${FIRST}`,
    'assistant: I will look. | bash',
    `toolResult: harbour\n${Array.from({ length: 20 }, (_, at) => `${at + 1}\n`).join('')}<shellId: 0 completed with exit code 0>`,
    'assistant: The answer number 2.',
    'user: <current_datetime>2026-11-29T04:36:04.029+00:00</current_datetime>\n\nAnd at night, in one word?',
    'assistant: The answer number 3.',
  ]);
  const { system } = buildEnvelope(session, session.tree.leaf);
  expect(system.parts.map((part) => part.text)).toEqual(['You are a terminal assistant.']);
  expect(session.header).toMatchObject({ id: 'f7260efe-8d19-4fd0-b38e-9c2ebc06b54c', cwd: '/home/ada/app' });
  expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
});

it('a compaction leaves one message, with all words of the user and the summary, as the client sent it', async () => {
  expect(textsAt(await opened(text))).toEqual([
    'user: Some of the conversation history has been summarized to free up context.\n\nYou were originally given instructions from a user over one or more turns. Here were the user messages:\n<user_message>\nWhere is the harbour?\n</user_message>\n<user_message>\nAnd at night, in one word?\n</user_message>\n<user_message>\nSay more.\n</user_message>\n\nHere is a summary of the prior context:\n<summary>\nThe answer number 6.\n</summary>\n',
    'user: <current_datetime>2026-11-29T04:40:22.579+00:00</current_datetime>\n\nThanks.',
    'assistant: The answer number 7.',
  ]);
});

it('the tokens are those that the provider reported: of answers, which add up to the sums of the client, and of summaries', async () => {
  const session = await opened(text);
  const counted = [...session.tree.heads].filter((head) => head.usageLength > 0);
  const usages = counted.flatMap((head) => (head.role === 'assistant' ? [session.usage(head)] : []));
  expect(usages[0]).toEqual({
    input: 12_762,
    output: 12,
    cacheRead: 100,
    cacheWrite: 0,
    totalTokens: 12_874,
    cost: {},
  });
  const sum = (key: string): number => usages.reduce((all, usage) => all + Number(usage?.[key]), 0);
  const shutdown = events.findLast(({ type }) => type === 'session.shutdown');
  const metrics = shutdown?.data['modelMetrics'] as Record<string, { usage: Record<string, number> }>;
  expect(metrics['gpt-5.5']?.usage).toEqual({
    inputTokens: sum('input') + sum('cacheRead') + sum('cacheWrite'),
    outputTokens: sum('output'),
    cacheReadTokens: sum('cacheRead'),
    cacheWriteTokens: sum('cacheWrite'),
  });
  // The client leaves its own requests for summaries out of its sums.
  const summaries = counted.filter(({ role }) => role === null).map((head) => session.usage(head)?.['totalTokens']);
  expect(summaries).toEqual([14_252 + 7, 14_215 + 7]);
  expect(session.agent?.contextWindow).toEqual({ tokens: 60_000, source: 'recorded' });
});

it('a version that records sums only says so, and counts nothing', async () => {
  const session = await opened(linesOf(events.filter(({ type }) => !/usage_record|compaction/.test(type))));
  expect(session.problems.map(({ code }) => code)).toEqual(['sums-only']);
  expect(session.problems[0]?.message).toContain('gpt-5.5: ');
  expect(session.agent?.parts.usage).toBe('missing');
});

it('what a subagent wrote is left out, with a note', async () => {
  const session = await opened(
    linesOf(events.map((event) => (event.type === 'user.message' ? { ...event, agentId: 'a1' } : event))),
  );
  expect(textsAt(session, 0)).toEqual(['assistant: I will look. | bash']);
  expect(session.problems[0]?.message).toBe('4 messages of subagents in this file are not read');
});

it('a failed call is a failed result with its error, and chunks of one call are one answer', async () => {
  const changed = events.flatMap((event) => {
    if (event.type === 'tool.execution_complete')
      return [{ ...event, data: { toolCallId: 'call_1', success: false, error: { message: 'No shell.' } } }];
    if (event.data['content'] !== 'The answer number 2.') return [event];
    const chunk = { ...event, data: { ...event.data, content: 'More.', reasoningText: 'Hm.', chunkIndex: 1 } };
    return [{ ...event, data: { ...event.data, chunkIndex: 0 } }, chunk];
  });
  const session = await opened(linesOf(changed));
  const [, , result, answer] = buildEnvelope(
    session,
    [...session.tree.heads].filter(({ role }) => role === 'assistant')[1]!,
  ).messages.cached;
  expect(result).toMatchObject({ isError: true, toolName: 'bash', content: [{ text: 'No shell.' }] });
  expect(((answer?.content ?? []) as object[]).map((block) => Object.values(block)[1])).toEqual([
    'The answer number 2.',
    'Hm.',
    'More.',
  ]);
  expect(answer?.['usage']).toMatchObject({ output: 7 });
});

it('a cleared context begins with the next message', async () => {
  const at = events.findIndex(({ data }) => data['content'] === 'And at night, in one word?');
  const cleared = {
    type: 'session.context_cleared',
    data: { messagesCleared: 4 },
    id: 'x',
    timestamp: '2026-11-29T04:36:00Z',
  };
  const session = await opened(linesOf([...events.slice(0, at), cleared, ...events.slice(at, at + 4)]));
  expect(textsAt(session)).toHaveLength(2);
});

it('an answer of an old version, which does not name its model, has the one in force', async () => {
  const unnamed = events.map((event) =>
    event.type === 'assistant.message' ? { ...event, data: { ...event.data, model: undefined } } : event,
  );
  const modelsOf = (session: OpenSession): readonly unknown[] =>
    [...session.tree.heads]
      .filter(({ role }) => role === 'assistant')
      .map((head) => (session.entry(head)['message'] as { model: unknown }).model);
  const [start, ...rest] = unnamed;
  const selected = { ...start, data: { ...start?.data, selectedModel: 'm-1' } };
  const change = {
    type: 'session.model_change',
    data: { newModel: 'm-2' },
    id: 'x',
    timestamp: '2026-11-29T05:00:00Z',
  };
  const withoutChanges = rest.filter(({ type }) => type !== 'session.model_change');
  const end = withoutChanges.findLastIndex(({ type }) => type === 'assistant.message');
  const changed = [...withoutChanges.slice(0, end), change, ...withoutChanges.slice(end)];
  const models = modelsOf(await opened(linesOf([selected, ...changed])));
  expect([new Set(models.slice(0, -1)), models.at(-1)]).toEqual([new Set(['m-1']), 'm-2']);
});
