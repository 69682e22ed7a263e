import { Buffer } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import type { Conversation, ConversationWriter, PortableMessage } from '../conversation.js';
import type { CopyStamps } from '../copier.js';
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
  let tokens = 0;
  for (const message of messages) {
    for (const record of toRecords(message)) yield { timestamp: message.timestamp, ...record };
    tokens += countTokens(JSON.stringify(message.content));
    if (message.role === 'assistant') yield { timestamp: message.timestamp, ...toEstimate(tokens) };
  }
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
      const item = {
        type: 'function_call_output',
        call_id: message.toolCallId,
        output: toOutput(content.map(toInputPart)),
      };
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

/** The estimate that ends an answer, where the client writes a count: it compacts by the last one. */
function toEstimate(tokens: number): JsonObject {
  const info = { total_token_usage: NO_TOKENS, last_token_usage: { ...NO_TOKENS, total_tokens: tokens } };
  return toEvent({ type: 'token_count', info: { ...info, model_context_window: null }, rate_limits: null });
}

const NO_TOKENS = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
  total_tokens: 0,
};

/**
 * The limit up to which the client keeps a long result; without one, it cuts the middle out when it opens the session.
 */
function toLimit(content: readonly JsonObject[]): JsonObject {
  const tokens = countTokens(joinTexts(content));
  return tokens < LEAST_LIMIT ? {} : { metadata: { fallback_token_limit_override: tokens } };
}

/** The number of tokens below which a result needs no limit of its own. */
const LEAST_LIMIT = 2500;

/** Counts tokens as the client does: four bytes are one. */
function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

function joinTexts(content: readonly JsonObject[]): string {
  return content.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n');
}

/** The addresses of images. */
function listImages(content: readonly JsonObject[]): readonly unknown[] {
  return content.filter(({ type }) => type === 'image').map((block) => toInputPart(block)['image_url']);
}
