import { asString, objectsIn } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';

/** The text of a message without its tool calls, images and thinking. */
export function textOf(message: LlmMessage): string {
  const content = message['content'];
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .flatMap((block) => (block['type'] === 'text' ? (asString(block['text']) ?? []) : []))
    .join('\n');
}

/** Words of a text to compare it by: small letters of ASCII, no marks of Markdown, one blank between words. */
export function comparable(text: string): string {
  return asciiLower(text.replaceAll(/[*`_~]/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The same on every machine, whatever its Unicode. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A text of at most so many UTF-16 code units, never cut inside a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 2;
  return `${text.slice(0, /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end)} …`;
}
