import { asString } from '#base/json.js';
import { sliceStart } from '#base/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { listBlocks } from '#context/words/message-blocks.js';

/** The text of a message without its tool calls, images and thinking. */
export function readMessageText(message: LlmMessage): string {
  return listBlocks(message)
    .flatMap((block) => (block.type === 'text' ? (asString(block.text) ?? []) : []))
    .join('\n');
}

/** Normalises the words of a text for comparison: ASCII lower case, no Markdown marks, one blank between words. */
export function normalizeText(text: string): string {
  return lowerAscii(text.replaceAll(/[*`_~]/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Lowers ASCII letters, independent of the machine's Unicode version. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Puts a text on one line. */
export function toOneLine(text: string): string {
  // Most texts are on one line already, and a test is faster than replacing every single blank.
  return (OTHER_BLANKS.test(text) ? text.replaceAll(/\s+/g, ' ') : text).trim();
}

const OTHER_BLANKS = /[^\S ]| {2}/;

/** The beginning of a text, at most `most` UTF-16 code units, never cut inside a character. */
export function truncateText(text: string, most: number): string {
  return text.length <= most ? text : `${sliceStart(text, most - 2)} …`;
}
