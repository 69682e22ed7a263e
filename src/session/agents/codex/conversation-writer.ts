import { Buffer } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import type { Conversation, ConversationWriter, PortableMessage } from '../conversation.js';
import type { CopyStamps } from '../copy.js';
import { toInputPart, toOutput } from './input-parts.js';

/** Writes conversations as rollouts that `codex resume` opens. An output has no place for whether the tool failed. */
export const codexWriter: ConversationWriter = { marksFailures: false, write };

/** The version of Codex whose records these are. */
const VERSION = '0.171.0';

/** The header names no prompt and no model: Codex goes on with its own. */
function* write({ cwd, title, messages }: Conversation, stamps: CopyStamps): Generator<JsonObject> {
  const { sessionId: id, timestamp } = stamps;
  const header = { id, timestamp, cwd, originator: 'ctx', cli_version: VERSION, source: 'cli' };
  yield { timestamp, type: 'session_meta', payload: header };
  for (const message of messages)
    for (const record of toRecords(message)) yield { timestamp: message.timestamp, ...record };
  if (title !== null) {
    const named = { type: 'thread_name_updated', thread_id: id, thread_name: title };
    yield { timestamp, type: 'event_msg', payload: named };
  }
}

/** The items of a message, and the events from which the client shows them. */
function toRecords(message: PortableMessage): readonly JsonObject[] {
  const { role, content } = message;
  switch (role) {
    case 'user': {
      const item = { type: 'message', role, content: content.map(toInputPart) };
      const text = joinTexts(content);
      if (message.isSummary) return [{ type: 'compacted', payload: { message: text, replacement_history: [item] } }];
      return [toItem(item), toEvent({ type: 'user_message', message: text, images: listImages(content) })];
    }
    case 'assistant':
      return content.flatMap(toAnswerRecords);
    case 'toolResult': {
      const item = { type: 'function_call_output', call_id: message.toolCallId, output: toOutput(content) };
      return [{ ...toItem(item), ...toLimit(content) }];
    }
  }
}

function toAnswerRecords({ type, id, name, arguments: input, text }: JsonObject): readonly JsonObject[] {
  if (type === 'toolCall')
    return [toItem({ type: 'function_call', name, arguments: JSON.stringify(input), call_id: id })];
  return [
    toItem({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
    toEvent({ type: 'agent_message', message: text }),
  ];
}

function toItem(payload: JsonObject): JsonObject {
  return { type: 'response_item', payload };
}

function toEvent(payload: JsonObject): JsonObject {
  return { type: 'event_msg', payload };
}

/** The limit up to which the client keeps a long result; without one, it cuts the middle out when it opens the session. */
function toLimit(content: readonly JsonObject[]): JsonObject {
  const bytes = Buffer.byteLength(joinTexts(content));
  if (bytes < LEAST_LIMIT) return {};
  return { metadata: { fallback_token_limit_override: Math.ceil(bytes / BYTES_PER_TOKEN) } };
}

/** In bytes. */
const LEAST_LIMIT = 10_000;
/** As the client counts. */
const BYTES_PER_TOKEN = 4;

function joinTexts(content: readonly JsonObject[]): string {
  return content.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n');
}

/** The addresses of images. */
function listImages(content: readonly JsonObject[]): readonly unknown[] {
  return content.filter(({ type }) => type === 'image').map((block) => toInputPart(block)['image_url']);
}
