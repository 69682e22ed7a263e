import { asString, asText, type JsonObject, listObjects } from '#base/json.js';
import type { ContentBlock } from '#session/entry.js';
import type { LlmMessage } from '../replay/content.js';

/** All searchable text of a message: texts, thinking, tool calls with their arguments. */
export function readSearchableText(message: LlmMessage): string {
  return listBlockTexts(message, readBlockText).join('\n');
}

/** The names of the tools that a message calls or answers. */
export function listToolNames(message: LlmMessage): readonly string[] {
  if (message.role === 'toolResult') return [asString(message.toolName) ?? ''];
  return listBlocks(message).flatMap((block) => (block.type === 'toolCall' ? (asString(block.name) ?? '') : []));
}

/** The content of a message as blocks, in any stored form. */
export function listBlocks(message: JsonObject): readonly ContentBlock[] {
  return toBlocks(message.content);
}

/** The blocks of a content: a plain text is one block of text. */
export function toBlocks(content: unknown): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listObjects(content);
}

export function listBlockTexts(message: LlmMessage, textOf: (block: ContentBlock) => string): readonly string[] {
  return listBlocks(message)
    .map(textOf)
    .filter((text) => text !== '');
}

function readBlockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return asString(block.text) ?? '';
    case 'thinking':
      return asString(block.thinking) ?? '';
    case 'toolCall':
      return `${asText(block.name)} ${asText(block.arguments)}`;
    default:
      return '';
  }
}
