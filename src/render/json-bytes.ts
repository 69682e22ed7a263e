import { visibleJson } from './visible.js';

const SIZE = 1 << 16;
/** Room that is there after each text, for the numbers and words of the line that it stands in. */
const SLACK = 4096;
const ZERO = 0x30;
const MINUS = 0x2d;
const QUOTE = 0x22;
const SMALL = 2 ** 31;
const COLON = 0x3a;
const POINT = 0x2e;
const MILLISECONDS_OF_A_DAY = 86_400_000;
const HEX = ascii('0123456789abcdef');
const NULL = ascii('null');
const END_OF_TIME = ascii('Z"');
/** Types and roles are few; a hostile file may have as many as it has entries. */
const MOST_WORDS = 1000;
/** The bytes of a text that is ASCII. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/**
 * Writes JSON as bytes, for lists of hundreds of thousands: no string is made for what is a number, an id or a word
 * that was written before. Who writes asks `full` from time to time, and takes what is there.
 */
export class JsonBytes {
  private bytes = new Uint8Array(SIZE);
  private length = 0;
  private lastDay = { number: Number.NaN, text: NULL };
  private readonly words = new Map<string | null, Uint8Array>([[null, NULL]]);

  get isFull(): boolean {
    return this.length > SIZE - 2 * SLACK;
  }

  /** What was written since, valid until more is written. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }

  /** ASCII as it is. */
  raw(part: Uint8Array): void {
    if (this.length + part.length + SLACK > this.bytes.length) this.grow(part.length);
    this.bytes.set(part, this.length);
    this.length += part.length;
  }

  /** A whole number. */
  integer(value: number): void {
    let rest = value;
    if (rest < 0) {
      this.sign(MINUS);
      rest = -rest;
    }
    let size = 1;
    for (let limit = 10; rest >= limit; limit *= 10) size += 1;
    this.padded(rest, size);
  }

  /** A whole number with leading zeros, `size` digits in all. */
  padded(value: number, size: number): void {
    let rest = value;
    for (let at = this.length + size - 1; at >= this.length; at -= 1) {
      // Division of small numbers is much faster where it is said that they are small.
      const next = rest < SMALL ? ((rest | 0) / 10) | 0 : (rest - (rest % 10)) / 10;
      this.bytes[at] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.length += size;
  }

  /** Milliseconds since 1970 as `Date.toISOString` writes them, null for NaN. Entries of one day stand together. */
  time(milliseconds: number): void {
    if (Number.isNaN(milliseconds)) return this.raw(NULL);
    const day = Math.floor(milliseconds / MILLISECONDS_OF_A_DAY);
    if (day !== this.lastDay.number) {
      const [date = ''] = new Date(milliseconds).toISOString().split('T');
      this.lastDay = { number: day, text: ascii(`"${date}T`) };
    }
    this.raw(this.lastDay.text);
    const rest = milliseconds - day * MILLISECONDS_OF_A_DAY;
    const seconds = Math.floor(rest / 1000);
    const minutes = Math.floor(seconds / 60);
    this.padded(Math.floor(minutes / 60), 2);
    this.sign(COLON);
    this.padded(minutes % 60, 2);
    this.sign(COLON);
    this.padded(seconds % 60, 2);
    this.sign(POINT);
    this.padded(rest % 1000, 3);
    this.raw(END_OF_TIME);
  }

  /** Eight hex digits, as a string. */
  hex(digits: number): void {
    const { bytes } = this;
    let at = this.length;
    bytes[at] = QUOTE;
    for (let shift = 28; shift >= 0; shift -= 4) {
      at += 1;
      bytes[at] = HEX[(digits >>> shift) & 15] ?? 0;
    }
    bytes[at + 1] = QUOTE;
    this.length = at + 2;
  }

  /** A text or null. One that may come again is kept; `isRare` texts are not. */
  text(value: string | null, isRare = false): void {
    const known = this.words.get(value);
    if (known) return this.raw(known);
    const bytes = new TextEncoder().encode(visibleJson(JSON.stringify(value)));
    if (!isRare && this.words.size < MOST_WORDS) this.words.set(value, bytes);
    this.raw(bytes);
  }

  private sign(byte: number): void {
    this.bytes[this.length] = byte;
    this.length += 1;
  }

  private grow(more: number): void {
    const room = new Uint8Array(this.length + more + SIZE);
    room.set(this.bytes.subarray(0, this.length));
    this.bytes = room;
  }
}
