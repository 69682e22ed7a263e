import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

function write({ id, cwd, messages }: Conversation): string {
  const timestamp = messages[0]?.time;
  return toLines([
    { type: 'title', v: 1, title: 'A walk', source: 'auto', updatedAt: timestamp, pad: '   ' },
    { type: 'session', version: 3, id, title: 'A walk', timestamp, cwd },
    { type: 'model_change', id: 'model', parentId: null, timestamp, model: 'mock/m1', role: 'default' },
    ...messages.map((message, at) => ({
      type: 'message',
      id: `m${at}`,
      parentId: at === 0 ? 'model' : `m${at - 1}`,
      timestamp: message.time,
      message: toMessage(message),
    })),
  ]);
}

/** A message in Pi's format. */
export function toMessage(message: Message): JsonObject {
  const { role, text, time } = message;
  const timestamp = Date.parse(time);
  const content = [{ type: 'text', text }];
  if (role === 'user') return { role, content, attribution: 'user', timestamp };
  if (role === 'toolResult') {
    const { call, isError } = message;
    return { role, toolCallId: call.id, toolName: call.name, content, isError, timestamp };
  }
  const { thinking, call, tokens } = message;
  const { input, cacheRead, output } = tokens;
  return {
    role,
    content: [
      { type: 'thinking', thinking },
      ...content,
      ...(call ? [{ type: 'toolCall', id: call.id, name: call.name, arguments: call.input }] : []),
    ],
    api: 'anthropic-messages',
    provider: 'mock',
    model: 'm1',
    usage: { input, output, cacheRead, cacheWrite: 0, totalTokens: input + cacheRead + output },
    stopReason: call ? 'toolUse' : 'stop',
    timestamp,
  };
}

export const ohMyPi: TestedAgent = {
  name: 'oh-my-pi',
  fixtures: ['oh-my-pi/session.jsonl'],
  place: (id) => `.omp/agent/sessions/-shop/2026-03-02T09-00-00-000Z_${id}.jsonl`,
  write,
  list: null,
  unknownRecord: { type: 'thing_of_tomorrow', words: 'Unknown' },
  tomorrow: ['"version":3', '"version":99'],
};
