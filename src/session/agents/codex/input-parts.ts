import type { JsonObject } from '#base/json.js';

/** Turns a block in Pi's format into a part of the Responses API. */
export function toInputPart({ type, text, data, mimeType }: JsonObject): JsonObject {
  if (type === 'image') return { type: 'input_image', image_url: `data:${String(mimeType)};base64,${String(data)}` };
  return { type: 'input_text', text };
}

/** Turns parts into the output of a tool. A single text is stored as a text, as the client does. */
export function toOutput(parts: readonly JsonObject[]): unknown {
  const [only, ...others] = parts;
  return only?.['type'] === 'input_text' && others.length === 0 ? only['text'] : parts;
}
