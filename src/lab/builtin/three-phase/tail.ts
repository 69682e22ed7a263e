import { deepFreeze } from '#base/freeze.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toUserMessage } from '#context/replay/convert.js';
import { countMessageTokens, sumMessageTokens } from '#context/size/tokens.js';
import type { TailPlace } from '../../injectors/assembly.js';

/** Builds a message of a text; nothing for no text. */
export function buildTextMessages(text: string | null, timestamp: unknown): readonly LlmMessage[] {
  return text === null ? [] : [toUserMessage(text, timestamp)];
}

/**
 * The messages of a request with the frozen tail at their end: as a message, or as the last block of the user's newest
 * one.
 */
export function appendTail(
  messages: readonly LlmMessage[],
  text: string | null,
  place: TailPlace,
): readonly LlmMessage[] {
  const newest = messages.at(-1);
  if (text === null || !newest || !joinsNewestMessage(newest, place))
    return [...messages, ...deepFreeze(buildTextMessages(text, newest?.timestamp ?? 0))];
  return [...messages.slice(0, -1), deepFreeze(joinTail(newest, text))];
}

/**
 * Whether the tail becomes a part of the newest message. After a tool result there is no message of the user to join.
 */
export function joinsNewestMessage(newest: LlmMessage | undefined, place: TailPlace): boolean {
  return place === 'newest-message' && newest?.role === 'user';
}

/** The tokens that the tail adds to a request. */
export function countTailTokens(newest: LlmMessage | undefined, text: string | null, place: TailPlace): number {
  if (text === null) return 0;
  if (newest && joinsNewestMessage(newest, place))
    return countMessageTokens(joinTail(newest, text)) - countMessageTokens(newest);
  return sumMessageTokens(buildTextMessages(text, 0));
}

function joinTail(newest: LlmMessage, text: string): LlmMessage {
  const { content } = newest;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  return { ...newest, content: [...blocks, { type: 'text', text }] };
}
