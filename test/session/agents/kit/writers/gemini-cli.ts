import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, SaidByModel, SaidByTool, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

/** A call is written into the record of its answer: once without its result, and again with it. */
function listRecords(messages: readonly Message[]): readonly JsonObject[] {
  return messages.flatMap((message, at) => {
    if (message.role === 'user')
      return [{ id: `m${at}`, timestamp: message.time, type: 'user', content: [{ text: message.text }] }];
    if (message.role === 'toolResult') {
      const answer = messages[at - 1] as SaidByModel;
      const record = buildAnswer(answer, at - 1);
      return [{ ...record, toolCalls: [buildCall(message)] }];
    }
    return [buildAnswer(message, at)];
  });
}

function buildAnswer({ text, time, thinking, tokens }: SaidByModel, at: number): JsonObject {
  const { input, cacheRead, output } = tokens;
  const prompt = input + cacheRead;
  return {
    id: `m${at}`,
    timestamp: time,
    type: 'gemini',
    content: text,
    thoughts: [{ subject: '', description: thinking, timestamp: time }],
    tokens: { input: prompt, output, cached: cacheRead, thoughts: 0, tool: 0, total: prompt + output },
    model: 'gemini-3-pro',
  };
}

function buildCall({ call: { id, name, input }, text, isError, time }: SaidByTool): JsonObject {
  const response = isError ? { error: text } : { output: text };
  const result = [{ functionResponse: { id, name, response } }];
  return { id, name, args: input, result, status: isError ? 'error' : 'success', timestamp: time };
}

function write({ id, cwd, messages }: Conversation): string {
  const [{ time } = { time: '' }] = messages;
  const header = { sessionId: id, projectHash: 'a1b2c3', startTime: time, lastUpdated: time, kind: 'main' };
  return toLines([{ ...header, directories: [cwd] }, ...listRecords(messages)]);
}

export const geminiCli: TestedAgent = {
  name: 'gemini-cli',
  fixtures: ['gemini-cli/session.jsonl', 'gemini-cli/session.json'],
  place: (id) => `.gemini/tmp/a1b2c3/chats/session-2026-04-02T09-00-${id.slice(0, 8)}.jsonl`,
  write,
  list: null,
  unknownRecord: { id: 'x1', timestamp: '2026-04-02T09:00:00.000Z', type: 'thing-of-tomorrow', content: 'Unknown' },
  tomorrow: null,
};
