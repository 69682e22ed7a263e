import { asString, isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { contentListOf } from './message.js';

/** The bytes of a message in a request: its texts and images, without the names around them. */
export function countMessageBytes(message: LlmMessage): number {
  const { content } = message;
  if (typeof content === 'string') return Buffer.byteLength(content);
  let bytes = 0;
  for (const block of contentListOf(message)) {
    if (!isObject(block)) continue;
    const { type, data, text, thinking, arguments: args } = block;
    if (type === 'image') bytes += asString(data)?.length ?? 0;
    else if (type === 'toolCall') bytes += measureTexts(args);
    else bytes += Buffer.byteLength(asString(text) ?? asString(thinking) ?? '');
  }
  return bytes;
}

/** The length of the texts of a value, which may be nested to any depth. */
function measureTexts(value: unknown): number {
  let length = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') length += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const item of Object.values(next)) open.push(item);
  }
  return length;
}
