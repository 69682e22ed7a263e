import type { JsonObject } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { AssembledContent } from '#lab/drive/driven-request.js';

/** The difference between the request of an engine and the context that the session replays to. */
export interface EngineChange {
  /** The ops that make the context the engine's, for this and later requests; none: it is already. */
  readonly patch: readonly JsonObject[];
  /** The messages of the request. */
  readonly messages: EnvelopeContent['messages'];
}

/**
 * Compares an engine's request with the replayed context. Messages that the engine made and put last, and its form of
 * the newest message, are for one request: stored, they would be sent again, and the list would be written each time.
 */
export function findEngineChange(replayed: EnvelopeContent, assembled: AssembledContent, reason: string): EngineChange {
  const { messages, sources } = assembled;
  const tailStart = sources.findLastIndex((source) => source !== null) + 1;
  const newest = replayed.messages.cached.at(-1);
  const isSent =
    tailStart > 0 && newest !== undefined && areSameMessages(messages.slice(tailStart - 1, tailStart), [newest]);
  const isJoined = newest !== undefined && !isSent && isFormOfMessage(messages[tailStart], newest);
  const durable = isJoined ? [...messages.slice(0, tailStart), newest] : messages.slice(0, tailStart);
  const op = { scope: 'cached', invalidateCacheReason: reason };
  const patch: JsonObject[] = [];
  if (toText(replayed.system.parts) !== toText(assembled.system.parts))
    patch.push({ op: 'system_parts_replace', ...op, parts: assembled.system.parts });
  if (toText(replayed.tools) !== toText(assembled.tools))
    patch.push({ op: 'tools_replace', ...op, tools: assembled.tools });
  if (!areSameMessages(replayed.messages.cached, durable))
    patch.push({ op: 'messages_cached_replace', ...op, messages: durable });
  const end = isJoined ? tailStart + 1 : tailStart;
  return { patch, messages: { cached: messages.slice(0, end), uncached: messages.slice(end) } };
}

/** Whether a message is another one with a tail. */
function isFormOfMessage(message: LlmMessage | undefined, newest: LlmMessage): boolean {
  return message?.role === newest.role && message.timestamp === newest.timestamp;
}

/** Whether two lists of messages are the same as JSON. */
export function areSameMessages(some: readonly LlmMessage[], others: readonly LlmMessage[]): boolean {
  return some.length === others.length && some.every((message, at) => toText(message) === toText(others[at] ?? {}));
}

/** The JSON of a value, which is computed once: most messages of a request were in the request before. */
const toText = memoizeByObject((value: object) => JSON.stringify(value));
