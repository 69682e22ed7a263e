import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

function buildRecord(message: Message): JsonObject {
  const { text } = message;
  if (message.role === 'user') return { type: 'user', message: { role: 'user', parts: [{ text }] } };
  if (message.role === 'toolResult') {
    const { call, isError } = message;
    const response = isError ? { error: text } : { output: text };
    return {
      type: 'tool_result',
      message: { role: 'user', parts: [{ functionResponse: { id: call.id, name: call.name, response } }] },
      toolCallResult: { callId: call.id, status: isError ? 'error' : 'success' },
    };
  }
  const { thinking, call, tokens } = message;
  const prompt = tokens.input + tokens.cacheRead;
  return {
    type: 'assistant',
    model: 'qwen3-coder-plus',
    message: {
      role: 'model',
      parts: [
        { text: thinking, thought: true },
        { text },
        ...(call ? [{ functionCall: { id: call.id, name: call.name, args: call.input } }] : []),
      ],
    },
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: tokens.cacheRead,
      candidatesTokenCount: tokens.output,
      thoughtsTokenCount: 0,
      totalTokenCount: prompt + tokens.output,
    },
  };
}

function write({ id, cwd, messages }: Conversation): string {
  return toLines(
    messages.map((message, at) => ({
      uuid: `r${at}`,
      parentUuid: at === 0 ? null : `r${at - 1}`,
      sessionId: id,
      timestamp: message.time,
      cwd,
      version: '0.19.11',
      ...buildRecord(message),
    })),
  );
}

export const qwenCode: TestedAgent = {
  name: 'qwen-code',
  fixtures: ['qwen-code/session.jsonl'],
  place: (id) => `.qwen/projects/-home-ada-shop/chats/${id}.jsonl`,
  write,
  list: null,
  // A record without a parent would begin another branch.
  unknownRecord: { type: 'thing_of_tomorrow', sessionId: 'x', systemPayload: { words: 'Unknown' } },
  tomorrow: ['"version":"0.19.11"', '"version":"9.0.0"'],
};
