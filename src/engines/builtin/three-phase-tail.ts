import type { LlmMessage } from '#context/replay/content.js';
import { tokensOfMessage } from '#context/replay/tokens.js';
import type { TailPlace } from '../injectors/assembly.js';

/** Builds a message of a text; nothing for no text. */
export function said(text: string | null, timestamp: unknown): readonly LlmMessage[] {
  return text === null ? [] : [{ role: 'user', content: [{ type: 'text', text }], timestamp }];
}

/** The messages of a request with the tail at their end: as a message, or as the last block of the user's newest one. */
export function withTail(
  messages: readonly LlmMessage[],
  text: string | null,
  place: TailPlace,
): readonly LlmMessage[] {
  const newest = messages.at(-1);
  if (text === null || !newest || !joins(newest, place))
    return [...messages, ...said(text, newest?.['timestamp'] ?? 0)];
  return [...messages.slice(0, -1), joined(newest, text)];
}

/** Whether the tail becomes a part of the newest message. After a tool result there is no message of the user to join. */
export function joins(newest: LlmMessage | undefined, place: TailPlace): boolean {
  return place === 'newest-message' && newest?.role === 'user';
}

/** The tokens that the tail adds to a request. */
export function tailTokens(newest: LlmMessage | undefined, text: string | null, place: TailPlace): number {
  if (text === null) return 0;
  if (newest && joins(newest, place)) return tokensOfMessage(joined(newest, text)) - tokensOfMessage(newest);
  return said(text, 0).reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

function joined(newest: LlmMessage, text: string): LlmMessage {
  const { content } = newest;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  return { ...newest, content: [...blocks, { type: 'text', text }] };
}
