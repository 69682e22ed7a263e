import { describe, expect, it } from 'vitest';
import type { OtlpSpan } from '#cli/commands/export/formats/otlp.js';
import { Log } from '../../../fixtures/log.js';
import { fixtureText } from '../../../security/hostile-session.js';
import { FIXTURES } from '../../../session/agents/kit/content.js';
import { readRawAnswers } from '../../../support/raw-usage.js';
import { exportTrace, SESSIONS, spansOf, valueOf } from './traces.js';

describe.each(SESSIONS)('the trace of %s', (_name, text) => {
  it('has spans within that of the session', async () => {
    const spans = spansOf(await exportTrace(text, '--full'));
    const session = spans.at(-1) as OtlpSpan;
    expect(session.parentSpanId).toBeUndefined();
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const span of spans) {
      if (span !== session) expect(span.parentSpanId).toBe(session.spanId);
      const [start, end] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
      expect([
        start <= end,
        start >= BigInt(session.startTimeUnixNano),
        end <= BigInt(session.endTimeUnixNano),
      ]).toEqual([true, true, true]);
    }
  });

  it('has no text of the session without --full', async () => {
    const spans = spansOf(await exportTrace(text));
    const keys = new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
    expect([...keys].filter((key) => /messages|instructions|definitions|arguments|result/.test(key))).toEqual([]);
  });
});

const COUNTED = new Set(['claude-code/session.jsonl', 'codex/rollout.jsonl', 'qwen-code/session.jsonl']);

it.each([
  ['pi', 'weather.jsonl', fixtureText('weather.jsonl')],
  ...FIXTURES.filter(({ name }) => COUNTED.has(name)).map(({ agent, name, text }) => [agent.name, name, text]),
])('a request of %s has the model and the tokens of its answer: %s', async (agent, _name, text) => {
  const answers = readRawAnswers(agent ?? '', text ?? '').filter(({ isOnPath }) => isOnPath);
  const spans = spansOf(await exportTrace(text ?? '')).filter(
    (span) => span.kind === 3 && valueOf(span, 'gen_ai.usage.output_tokens') !== undefined,
  );
  expect(
    spans.map((span) => [
      valueOf(span, 'gen_ai.usage.input_tokens'),
      valueOf(span, 'gen_ai.usage.cache_read.input_tokens'),
      valueOf(span, 'gen_ai.usage.cache_creation.input_tokens'),
      valueOf(span, 'gen_ai.usage.output_tokens'),
    ]),
  ).toEqual(
    answers.map(({ input, cacheRead, cacheWrite, output }) =>
      [input + cacheRead + cacheWrite, cacheRead, cacheWrite, output].map(String),
    ),
  );
  for (const [at, answer] of answers.entries())
    if (answer.isRequest)
      expect(answer.model).toContain(String(valueOf(spans[at] as OtlpSpan, 'gen_ai.request.model')));
});

it('a call of a tool lasts from its answer to its result, and one that failed says so', async () => {
  const { text = '' } = FIXTURES.find(({ name }) => name === 'kimi-code/wire.jsonl') ?? {};
  const spans = spansOf(await exportTrace(text, '--full'));
  const tools = spans.filter(({ name }) => name.startsWith('execute_tool'));
  expect(tools.map((span) => [span.name, span.kind, valueOf(span, 'error.type')])).toEqual([
    ['execute_tool tide', 1, undefined],
    ['execute_tool tide', 1, '_OTHER'],
  ]);
  expect(valueOf(tools[0] as OtlpSpan, 'gen_ai.tool.call.arguments')).toBe('{"day":"today"}');
  expect(valueOf(tools[0] as OtlpSpan, 'gen_ai.tool.call.result')).toBe('High water at 14:10.\nOne row.');
  const first = spans.find(({ name }) => name === 'chat kimi-k2.5');
  expect(JSON.parse(String(valueOf(first as OtlpSpan, 'gen_ai.output.messages')))).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'The table has it.' },
        { type: 'text', content: 'I look it up.' },
        { type: 'tool_call', id: 'c1', name: 'tide', arguments: { day: 'today' } },
        { type: 'tool_call', id: 'c2', name: 'tide', arguments: { day: 'tomorrow' } },
      ],
      finish_reason: 'tool_call',
    },
  ]);
  expect(String(valueOf(first as OtlpSpan, 'gen_ai.input.messages'))).toContain('When is the next flood?');
});

it('a request begins at the message before its answer, and not at a change of the model', async () => {
  const { text = '' } = FIXTURES.find(({ name }) => name === 'claude-code/session.jsonl') ?? {};
  const [first] = spansOf(await exportTrace(text));
  const times = [first?.startTimeUnixNano, first?.endTimeUnixNano].map((time) => Number(time) / 1e6);
  expect(times).toEqual([Date.parse('2026-09-14T09:00:44Z'), Date.parse('2026-09-14T09:00:49Z')]);
});

it('an export of the same session has the same ids', async () => {
  const text = fixtureText('weather.jsonl');
  expect(await exportTrace(text)).toEqual(await exportTrace(text));
});

it('a call without a model of its own, such as one for a summary, names no model', async () => {
  const spans = spansOf(await exportTrace(fixtureText('weather.jsonl')));
  const side = spans.filter((span) => span.kind === 3 && valueOf(span, 'gen_ai.request.model') === undefined);
  expect(side.length).toBeGreaterThan(0);
  for (const span of side) expect([span.name, valueOf(span, 'gen_ai.provider.name')]).toEqual(['chat', 'anthropic']);
});

/** A session with these answers, each of which calls a tool. */
function callInTurns(...answers: readonly Readonly<Record<string, unknown>>[]): string {
  const log = new Log('turns');
  const call = { type: 'toolCall', id: 'call_0', name: 'read', arguments: {} };
  for (const [at, answer] of answers.entries())
    log
      .user(`u${at}`, 'Look')
      .message(`a${at}`, { role: 'assistant', content: [call], stopReason: 'toolUse', ...answer })
      .message(`r${at}`, { role: 'toolResult', toolCallId: 'call_0', toolName: 'read', content: 'x', isError: false });
  return log.text();
}

it('calls of tools that have one id have spans of their own', async () => {
  const tools = spansOf(await exportTrace(callInTurns({}, {}))).filter(({ name }) => name === 'execute_tool read');
  expect(new Set(tools.map(({ spanId }) => spanId)).size).toBe(2);
});

it('an unknown model or provider is not named, and numbers fit into 64 bits', async () => {
  const usage = { input: 1.5, output: 2, cacheRead: 0, cacheWrite: 0 };
  const text = callInTurns({ provider: 'unknown', model: 'unknown', usage });
  const [chat] = spansOf(await exportTrace(text.replaceAll('2026-03-02', '9999-03-02')));
  expect(chat?.name).toBe('chat');
  expect(valueOf(chat as OtlpSpan, 'gen_ai.provider.name')).toBe('_OTHER');
  expect(valueOf(chat as OtlpSpan, 'gen_ai.usage.input_tokens')).toBe('2');
  expect(BigInt(chat?.endTimeUnixNano ?? 0)).toBeLessThan(2n ** 64n);
});
