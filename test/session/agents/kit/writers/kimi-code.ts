import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, SaidByModel, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

/** The tokens of a step are at its end, after the result of its call, and in a record of their own. */
function listRecords(message: Message, at: number, isCalled: boolean): readonly JsonObject[] {
  const { role, text } = message;
  const toEvent = (event: JsonObject): JsonObject => ({ type: 'context.append_loop_event', agentId: 'main', event });
  if (role === 'user') {
    const content = [{ type: 'text', text }];
    const prompt = { role, content, toolCalls: [], origin: { kind: 'user' } };
    return [
      { type: 'turn.prompt', agentId: 'main', input: content, origin: { kind: 'user' } },
      { type: 'context.append_message', agentId: 'main', message: prompt },
    ];
  }
  if (role === 'toolResult') {
    const { call, isError } = message;
    return [toEvent({ type: 'tool.result', toolCallId: call.id, result: { output: text, isError } })];
  }
  const step = `step-${at}`;
  const { thinking, call } = message;
  return [
    { type: 'llm.request', agentId: 'main', kind: 'loop', provider: 'kimi', model: 'kimi-k2.5', messageCount: at },
    toEvent({ type: 'step.begin', uuid: step }),
    toEvent({ type: 'content.part', stepUuid: step, part: { type: 'think', think: thinking } }),
    toEvent({ type: 'content.part', stepUuid: step, part: { type: 'text', text } }),
    ...(call
      ? [toEvent({ type: 'tool.call', stepUuid: step, toolCallId: call.id, name: call.name, args: call.input })]
      : []),
    ...(isCalled ? [] : listEnd(message, at)),
  ];
}

function listEnd({ tokens }: SaidByModel, at: number): readonly JsonObject[] {
  const { input, cacheRead, output } = tokens;
  const usage = { inputOther: input, output, inputCacheRead: cacheRead, inputCacheCreation: 0 };
  const event = { type: 'step.end', uuid: `step-${at}`, finishReason: 'stop', usage };
  return [
    { type: 'usage.record', agentId: 'main', model: 'kimi-k2.5', usage, usageScope: 'turn' },
    { type: 'context.append_loop_event', agentId: 'main', event },
  ];
}

function write({ cwd, messages }: Conversation): string {
  const [{ time } = { time: '' }] = messages;
  const begin = Date.parse(time);
  const disclosure = { cwd, date: { disclosed: false } };
  return toLines([
    { type: 'metadata', protocol_version: '1.5', created_at: begin },
    { type: 'profile.bind', agentId: 'main', systemPrompt: 'P', environmentDisclosure: disclosure, time: begin },
    ...messages.flatMap((message, at) => {
      const next = messages[at + 1];
      const before = messages[at - 1];
      const own = listRecords(message, at, next?.role === 'toolResult');
      const end = message.role === 'toolResult' && before?.role === 'assistant' ? listEnd(before, at - 1) : [];
      return [...own, ...end].map((record) => ({ ...record, time: Date.parse(message.time) }));
    }),
  ]);
}

export const kimiCode: TestedAgent = {
  name: 'kimi-code',
  fixtures: ['kimi-code/wire.jsonl'],
  place: (id) => `.kimi-code/sessions/wd_shop/${id}/agents/main/wire.jsonl`,
  write,
  list: null,
  unknownRecord: { type: 'thing.of_tomorrow', agentId: 'main', words: 'Unknown' },
  tomorrow: ['"protocol_version":"1.5"', '"protocol_version":"9.0"'],
};
