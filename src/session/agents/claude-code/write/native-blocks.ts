import { asObject, type JsonObject } from '#base/json.js';

/** A block in Pi's format, as a block of the API. */
export function toNativeBlock(block: JsonObject): JsonObject {
  const { type, text, data, mimeType, id, name, arguments: input, thinking, thinkingSignature } = block;
  switch (type) {
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
    case 'toolCall':
      return { type: 'tool_use', id, name, input };
    case 'thinking':
      return { type: 'thinking', thinking, signature: thinkingSignature ?? '' };
    default:
      return { type: 'text', text };
  }
}

/** A single text is stored as a text, as the client does. */
export function toPlainContent(blocks: readonly unknown[]): unknown {
  const [only, ...others] = blocks;
  const { type, text } = asObject(only);
  return type === 'text' && others.length === 0 ? text : blocks;
}
