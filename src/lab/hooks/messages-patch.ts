import { isObject, type JsonObject } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';

type Messages = EnvelopeContent['messages'];

/** The `event.messages` of a handler of stock Pi: all that is sent, in order. */
export function listEventMessages({ cached, uncached }: Messages): readonly LlmMessage[] {
  return [...cached, ...uncached];
}

/**
 * The patch that does what a handler of stock Pi asks for with `{ messages }`: the list replaces what is sent, for one
 * request, or the reason why no patch can, as a text.
 */
export function buildMessagesPatch(answer: unknown, { cached, uncached }: Messages): readonly JsonObject[] | string {
  if (!Array.isArray(answer) || !answer.every(isObject)) return 'messages must be a list of messages';
  const messages = answer.flatMap((message) => toLlmMessage(message) ?? []);
  const start = messages.length - uncached.length;
  if (start < 0 || !isSame(messages.slice(start), uncached))
    return 'messages must end with the uncached messages that earlier hooks added';
  const replaced = messages.slice(0, start);
  if (isSame(replaced, cached)) return [];
  const invalidateCacheReason = 'context handler of stock Pi';
  return [{ op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason, messages: replaced }];
}

function isSame(some: readonly LlmMessage[], others: readonly LlmMessage[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
