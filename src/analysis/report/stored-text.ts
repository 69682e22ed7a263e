import { sliceStart } from '#base/text.js';
import type { StoredText } from './document.js';

/** Truncates a text to `most` bytes. A truncated text has its original length. */
export function limitText(text: string, most: number): StoredText {
  // No text has more bytes than this.
  if (text.length * 3 <= most) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  const units = Math.floor((most / bytes) * text.length);
  return [copyText(sliceStart(text, units)), text.length];
}

/** A part of a text that does not keep the whole of it in memory: V8 copies it before it cuts it again. */
export function copyText(part: string): string {
  return ` ${part}`.slice(1);
}

/** A text, or its beginning if it was truncated. */
export function storedTextOf(text: StoredText): string {
  return typeof text === 'string' ? text : text[0];
}
