import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, SaidByModel, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

/** An answer has a line for each block, each with the whole usage. */
function listRecords(message: Message, at: number): readonly JsonObject[] {
  if (message.role === 'user') return [{ type: 'user', message: { role: 'user', content: message.text } }];
  if (message.role === 'toolResult') {
    const { call, text, isError } = message;
    const content = [{ type: 'tool_result', tool_use_id: call.id, content: text, is_error: isError }];
    return [{ type: 'user', message: { role: 'user', content } }];
  }
  return listBlocks(message).map((block) => ({
    type: 'assistant',
    requestId: `req_${at}`,
    message: {
      id: `msg_${at}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: message.call ? 'tool_use' : 'end_turn',
      usage: {
        input_tokens: message.tokens.input,
        cache_read_input_tokens: message.tokens.cacheRead,
        cache_creation_input_tokens: 0,
        output_tokens: message.tokens.output,
      },
    },
  }));
}

function listBlocks({ thinking, text, call }: SaidByModel): readonly JsonObject[] {
  return [
    { type: 'thinking', thinking, signature: 'c2lnbmVk' },
    { type: 'text', text },
    ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] : []),
  ];
}

function write({ id, cwd, messages }: Conversation): string {
  const records = messages.flatMap((message, at) =>
    listRecords(message, at).map((record) => ({ ...record, timestamp: message.time })),
  );
  const uuid = (at: number): string => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
  return toLines(
    records.map((record, at) => ({
      parentUuid: at === 0 ? null : uuid(at - 1),
      isSidechain: false,
      cwd,
      sessionId: id,
      version: '2.1.144',
      ...record,
      uuid: uuid(at),
    })),
  );
}

export const claudeCode: TestedAgent = {
  name: 'claude-code',
  fixtures: ['claude-code/session.jsonl', 'claude-code/requests.jsonl'],
  place: (id) => `.claude/projects/-home-ada-shop/${id}.jsonl`,
  write,
  list: null,
  unknownRecord: { type: 'thing-of-tomorrow', sessionId: 'x', content: { words: 'Unknown' } },
  tomorrow: ['"version":"2.1.144"', '"version":"9.0.0"'],
};
