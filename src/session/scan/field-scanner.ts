import { Buffer } from 'node:buffer';
import { LINE_FIELDS } from '../wasm/line-fields.wasm.js';
import type { FieldLayout } from './field-layout.js';

/** The memory layout, shared with src/session/wasm/line-fields.as.ts. */
const FIELDS = 1024;
const FIELD_BYTES = 64;
const NAME_BYTES = 32;
const RECORDS = 16_384;
const ITEMS = 524_288;
const INPUT = 1 << 20;
/** The scanner reads whole blocks, so also a little after the last line. */
const SLACK = 128;
const PAGE = 1 << 16;
const FREE_PAGES = 8;
const WORD = 4;
/** The words of the entry of a text: offset, length, and its hash. */
const ENTRY_WORDS = 4;
const MOST_SEEDS = 2 ** 31;

/** The maximum length of the lines that are scanned at once. */
export const MOST_SCANNED_BYTES = 1 << 20;
/** The place of a text that gets a number. It has room for `LONGEST_TEXT` bytes. */
const TEXT = INPUT + MOST_SCANNED_BYTES + SLACK;
const LONGEST_TEXT = 1 << 16;
const TOP = TEXT + LONGEST_TEXT + SLACK;

const NO_DIGITS = -1;

let compiled: WebAssembly.Module | null = null;

interface Exports {
  readonly records: { readonly value: number };
  readonly items: { readonly value: number };
  readonly isDoubtful: { readonly value: number };
  readonly isForeign: { readonly value: number };
  readonly entries: { readonly value: number };
  readonly strings: { readonly value: number };
  begin(recordBytes: number, itemBytes: number, top: number, seed: number): void;
  scan(from: number, to: number, itemsBefore: number): number;
  intern(at: number, length: number): number;
  digits(number: number): number;
}

/** The records of consecutive whole lines, and the rows of the objects in their lists. Valid until the next scan. */
export interface ScannedFields {
  readonly records: Uint32Array;
  readonly items: Uint32Array;
  readonly count: number;
  /** The end of the last line. */
  readonly end: number;
  /** Whether the last line is not confirmed, and whether any other has non-ASCII characters. */
  readonly isDoubtful: boolean;
  readonly isForeign: boolean;
}

/** Reads the fields of lines without decoding them, and numbers the texts. */
export class FieldScanner {
  private readonly memory = new WebAssembly.Memory({ initial: Math.ceil(TOP / PAGE) + FREE_PAGES });
  private readonly exports: Exports;
  private all = Buffer.alloc(0);
  private lines = Buffer.alloc(0);
  private readonly longTexts = new Map<string, string>();

  constructor(private readonly layout: FieldLayout) {
    compiled ??= new WebAssembly.Module(Buffer.from(LINE_FIELDS, 'base64'));
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.memory } });
    // The module is compiled from the source in src/session/wasm, which exports these.
    this.exports = exports as unknown as Exports;
    const { recordWords, itemWords } = layout;
    // A random seed of the hashes prevents crafted collisions. Nothing that is read depends on it, so no caller passes
    // it.
    this.exports.begin(recordWords * WORD, itemWords * WORD, TOP, Math.floor(Math.random() * MOST_SEEDS));
    const { bytes } = this;
    for (const [number, { name, mode, word, isInItem, first, end }] of layout.rows().entries()) {
      const at = FIELDS + number * FIELD_BYTES;
      bytes[at] = name.length;
      bytes.write(name, at + 1, 'latin1');
      bytes.set([mode, first, end], at + NAME_BYTES);
      // The scanner tells a place in the row of an item by its sign: -1 for the first word, -2 for the second, and so
      // on.
      const place = isInItem ? -1 - word : word;
      bytes.writeInt32LE(place * WORD, at + NAME_BYTES + WORD);
    }
  }

  /** The memory for lines. */
  get input(): Buffer {
    if (this.lines.buffer !== this.memory.buffer)
      this.lines = Buffer.from(this.memory.buffer, INPUT, MOST_SCANNED_BYTES);
    return this.lines;
  }

  /**
   * Scans the lines from `from` on, up to `to` if there is room for their records and all are confirmed.
   * `itemsBefore`: the number of rows of earlier scans.
   */
  scan(from: number, to: number, itemsBefore = 0): ScannedFields {
    const { exports, layout, memory } = this;
    const end = exports.scan(INPUT + from, INPUT + to, itemsBefore) - INPUT;
    const count = exports.records.value;
    const records = new Uint32Array(memory.buffer, RECORDS, count * layout.recordWords);
    return {
      records,
      items: new Uint32Array(memory.buffer, ITEMS, exports.items.value * layout.itemWords),
      count,
      end,
      isDoubtful: exports.isDoubtful.value !== 0,
      isForeign: exports.isForeign.value !== 0,
    };
  }

  /** The number of a text, from 1. Its bytes are those in JSON, so any text has some. */
  intern(text: string): number {
    let bytes = Buffer.from(JSON.stringify(text).slice(1, -1));
    if (bytes.length > LONGEST_TEXT) bytes = Buffer.from(this.keyOfLong(text));
    this.bytes.set(bytes, TEXT);
    return this.exports.intern(TEXT, bytes.length);
  }

  /** A key that no text has, because it is a control character in JSON. */
  private keyOfLong(text: string): string {
    const key = [...this.longTexts].find(([, other]) => other === text)?.[0] ?? `\u0000${this.longTexts.size}`;
    this.longTexts.set(key, text);
    return key;
  }

  get texts(): number {
    return this.exports.strings.value;
  }

  text(number: number): string {
    const { bytes } = this;
    const entry = this.exports.entries.value + number * ENTRY_WORDS * WORD;
    const at = bytes.readUInt32LE(entry);
    const text = bytes.toString('utf8', at, at + bytes.readUInt32LE(entry + WORD));
    return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : (this.longTexts.get(text) ?? text);
  }

  /** The value of the eight hex digits with which a text begins; null if it does not begin so. */
  digits(number: number): number | null {
    const digits = this.exports.digits(number);
    return digits === NO_DIGITS ? null : digits;
  }

  /** All of the memory, which grows. */
  private get bytes(): Buffer {
    if (this.all.buffer !== this.memory.buffer) this.all = Buffer.from(this.memory.buffer);
    return this.all;
  }
}
