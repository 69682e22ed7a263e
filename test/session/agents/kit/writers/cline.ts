import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, TestedAgent } from '../define.js';

/** A call is in the answer, and its result in a message of the user. */
function buildMessage(message: Message, at: number): JsonObject {
  const base = { id: `msg_${at}`, role: message.role === 'assistant' ? 'assistant' : 'user' };
  const ts = Date.parse(message.time);
  if (message.role === 'user')
    return { ...base, content: [{ type: 'text', text: `<user_input mode="act">${message.text}</user_input>` }], ts };
  if (message.role === 'toolResult') {
    const { call, text, isError } = message;
    const result = { type: 'tool_result', tool_use_id: call.id, name: call.name, content: text, is_error: isError };
    return { ...base, content: [result], ts };
  }
  const { text, thinking, call, tokens } = message;
  const content = [
    { type: 'thinking', thinking },
    { type: 'text', text },
    ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] : []),
  ];
  // The prompt is counted with its cached tokens.
  const metrics = {
    inputTokens: tokens.input + tokens.cacheRead,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: 0,
  };
  return { ...base, content, ts, modelInfo: { id: 'm1', provider: 'mock' }, metrics };
}

/** The messages of a session. Its working directory is in another file. */
function write({ id, messages }: Conversation): string {
  return JSON.stringify({
    version: 1,
    updated_at: messages.at(-1)?.time ?? '',
    agent: 'lead',
    sessionId: id,
    origin: { source: 'cli', mode: 'user', sessionId: id, version: '3.0.65' },
    messages: messages.map(buildMessage),
  });
}

const FOLDER = 'cline/1784094124598_abcde/1784094124598_abcde';

export const cline: TestedAgent = {
  name: 'cline',
  fixtures: [`${FOLDER}.messages.json`],
  place: (id) => `.cline/data/sessions/${id}/${id}.messages.json`,
  write,
  list: 'messages',
  unknownRecord: { id: 'x', role: 'thing-of-tomorrow', content: [{ type: 'new', words: 'Unknown' }] },
  tomorrow: ['"version":"3.0.65"', '"version":"9.0.0"'],
  lacks: ['folder'],
};
