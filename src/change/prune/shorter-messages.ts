import { isObject, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { ProposedChange } from './define.js';
import type { HistoryItem } from './history.js';

/** Replaces a message by another; null if that saves nothing. */
export function proposeShorter(item: HistoryItem, message: LlmMessage): ProposedChange | null {
  return countMessageTokens(message) < item.tokens ? { at: item.at, message } : null;
}

/** A message whose texts are replaced by one, at the position of the first. Images and other blocks are kept. */
export function replaceTexts(message: LlmMessage, text: string): LlmMessage {
  const { content } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text' }];
  const first = blocks.findIndex(isText);
  const replaced = blocks.flatMap((block, at) => {
    if (!isText(block)) return [block];
    return at === first ? [{ ...block, text }] : [];
  });
  return { ...message, content: replaced };
}

function isText(block: unknown): block is JsonObject {
  return isObject(block) && block.type === 'text';
}

/** A message with a text as its only content: its pictures go as well. */
export function replaceContent(message: LlmMessage, text: string): LlmMessage {
  return { ...message, content: [{ type: 'text', text }] };
}

/** A message with each block of its content changed; one with a text as its content has no blocks. */
export function mapBlocks(message: LlmMessage, changed: (block: unknown) => unknown): LlmMessage {
  const { content } = message;
  return { ...message, content: Array.isArray(content) ? content.map(changed) : [] };
}
