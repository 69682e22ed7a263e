import { isObject, type JsonObject } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { toLlm } from '#context/replay/convert.js';

type Messages = EnvelopeContent['messages'];

/** What a handler of stock Pi is given as `event.messages`: all that is sent, in order. */
export function messagesGiven({ cached, uncached }: Messages): readonly LlmMessage[] {
  return [...cached, ...uncached];
}

/**
 * The patch that does what a handler of stock Pi asks for with `{ messages }`: the list replaces what is sent, for one
 * request. A text says why no patch does.
 */
export function patchOfMessages(answer: unknown, { cached, uncached }: Messages): readonly JsonObject[] | string {
  if (!Array.isArray(answer) || !answer.every(isObject)) return 'messages is a list of messages';
  const messages = answer.flatMap((message) => toLlm(message) ?? []);
  const start = messages.length - uncached.length;
  if (start < 0 || !isSame(messages.slice(start), uncached))
    return 'messages ends otherwise than with the uncached messages that hooks before it have added';
  const replaced = messages.slice(0, start);
  if (isSame(replaced, cached)) return [];
  const invalidateCacheReason = 'context handler of stock Pi';
  return [{ op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason, messages: replaced }];
}

function isSame(some: readonly LlmMessage[], others: readonly LlmMessage[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
