import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

/** The tokens are in another file, as sums of the session. */
function write({ id, cwd, messages }: Conversation): string {
  return toLines([
    { type: 'session_start', id, title: 'A talk', owner: 'unknown', version: 2, cwd },
    ...messages.map((message, at) => ({
      type: 'message',
      id: `m${at}`,
      parentId: `m${at - 1}`,
      timestamp: message.time,
      message: toMessage(message),
    })),
    { type: 'agent_turn_outcome', turnId: 'm0', reason: 'completed', resultKind: 'text' },
  ]);
}

function toMessage(message: Message): JsonObject {
  const { role, text } = message;
  if (role === 'user') return { role, content: [{ type: 'text', text }], interactionMode: 'auto' };
  if (role === 'toolResult') {
    const { call, isError } = message;
    const result = { type: 'tool_result', tool_use_id: call.id, is_error: isError, content: text };
    return { role: 'user', content: [result] };
  }
  const { thinking, call } = message;
  const content = [
    { type: 'thinking', thinking, signature: 'x', signatureProvider: 'anthropic', durationMs: 1 },
    { type: 'text', text },
    ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] : []),
  ];
  return { role, content, modelId: 'custom:Mock-0', reasoningEffort: 'low' };
}

export const droid: TestedAgent = {
  name: 'droid',
  fixtures: ['droid/5f0c2a7e-3b1d-4c8e-9a64-20d7f1b8c935.jsonl'],
  place: (id) => `.factory/sessions/-home-ada-shop/${id}.jsonl`,
  write,
  list: null,
  unknownRecord: { type: 'thing_of_tomorrow', id: 'x', words: 'Unknown' },
  tomorrow: ['"version":2', '"version":99'],
  lacks: ['tokens'],
};
