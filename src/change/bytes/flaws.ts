import { NEWLINE, NUL, RETURN, SPACE, TAB } from './ascii.js';

/** Bytes inside a JSON value that JSON does not allow there, and their replacement. */
export interface JsonFlaw {
  readonly kind: 'newline' | 'nul' | 'control' | 'mark' | 'escape';
  readonly at: number;
  readonly length: number;
  /** ASCII; empty for bytes that are left out. */
  readonly text: string;
}

/**
 * Collects the flaws of a value that is read from its beginning to its end. Its methods get the position of a byte, and
 * return that of the next one.
 */
export class FlawCollector {
  readonly found: JsonFlaw[] = [];

  constructor(
    private readonly bytes: Uint8Array,
    private readonly limit: number,
  ) {}

  /** Skips white space between the parts of a value. */
  skipGap(start: number): number {
    for (let at = start; ;) {
      const byte = at < this.limit ? this.bytes[at] : undefined;
      if (byte === SPACE || byte === TAB || byte === RETURN) at += 1;
      else if (byte === NEWLINE) at = this.add('newline', at, 1, '');
      else if (byte === NUL) at = this.addNuls(at);
      else if (isByteOrderMark(this.bytes, at)) at = this.add('mark', at, BYTE_ORDER_MARK.length, '');
      else return at;
    }
  }

  /** Skips the bytes that broke a word or an escape in two. */
  skipBreaks(start: number): number {
    for (let at = start; ;) {
      const byte = at < this.limit ? this.bytes[at] : undefined;
      if (byte === NEWLINE) at = this.add('newline', at, 1, '');
      else if (byte === NUL) at = this.addNuls(at);
      else return at;
    }
  }

  /** Notes a control character in a string. A newline belongs to a text, but breaks a key in two. */
  noteControl(at: number, where: 'key' | 'text'): number {
    const byte = this.bytes[at] ?? 0;
    if (byte === NUL) return this.addNuls(at);
    if (byte === NEWLINE) return this.add('newline', at, 1, where === 'text' ? '\\n' : '');
    return this.add('control', at, 1, JSON.stringify(String.fromCharCode(byte)).slice(1, -1));
  }

  /** Notes a backslash that begins no escape. */
  noteBackslash(at: number): number {
    return this.add('escape', at, 1, '');
  }

  /** Reads the key between two quotes, as JSON.parse reads it once its flaws are repaired. It is the last that was read. */
  readKey(start: number, end: number): string {
    const firstOfKey = this.found.findLastIndex(({ at }) => at < start) + 1;
    const text = readRepairedText(this.bytes, { start, end, flaws: this.found.slice(firstOfKey) });
    return text.includes('\\') ? decodeEscapedText(text) : text;
  }

  private addNuls(start: number): number {
    let end = start;
    while (end < this.limit && this.bytes[end] === NUL) end += 1;
    return this.add('nul', start, end - start, '');
  }

  private add(kind: JsonFlaw['kind'], at: number, length: number, text: string): number {
    this.found.push({ kind, at, length, text });
    return at + length;
  }
}

/** Decodes bytes as Pi does: invalid ones become U+FFFD. */
export const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes the escapes of a text. A text whose escapes are none stays what it is. */
function decodeEscapedText(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/** Whether a byte order mark begins here. */
export function isByteOrderMark(bytes: Uint8Array, at: number): boolean {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[at + index] === byte);
}

/** The byte order mark in UTF-8. */
export const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** A part of a value, with the flaws from its start on, in order. Those after its end do not count. */
interface FlawedText {
  readonly start: number;
  readonly end: number;
  readonly flaws: readonly JsonFlaw[];
}

/** Decodes a part of a value, with its flaws repaired. */
export function readRepairedText(bytes: Uint8Array, { start, end, flaws }: FlawedText): string {
  const texts: string[] = [];
  let from = start;
  for (const { at, length, text } of flaws) {
    if (at >= end) break;
    texts.push(utf8Decoder.decode(bytes.subarray(from, at)), text);
    from = at + length;
  }
  texts.push(utf8Decoder.decode(bytes.subarray(from, end)));
  return texts.join('');
}
