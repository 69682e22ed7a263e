import { textOf } from '#analysis/facts/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { tokensOfMessage } from '#context/replay/tokens.js';
import type { Change } from './define.js';
import type { Item } from './history.js';
import { whereIs } from './notes.js';

/** Puts a message in the place of another; null where that would save nothing. */
export function shorter(item: Item, message: LlmMessage): Change | null {
  return tokensOfMessage(message) < item.tokens ? { at: item.at, message } : null;
}

/** A message that says a text and nothing else: its pictures go as well. */
export function saying(message: LlmMessage, text: string): LlmMessage {
  return { ...message, content: [{ type: 'text', text }] };
}

/** Whether a note in the message says where the whole of it is. */
export function isShortened(item: Item): boolean {
  return textOf(item.message).includes(whereIs(item));
}
