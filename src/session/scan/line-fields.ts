import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import { doubleCapacity, findFirstPast } from '#base/lists.js';
import { parseTimestamp } from '#base/time.js';
import { type ByteSource } from './byte-source.js';
import { type FieldLayout, textNumberOf, VALUE_KIND, valueKindOf, valueNumberOf } from './field-layout.js';
import { FieldScanner, MOST_SCANNED_BYTES, type ScannedFields } from './field-scanner.js';
import { findLineStart, type LineSpan, type RawLine, readLines } from './lines.js';

/** A read that goes on where the last one ended. */
const READ_BYTES = 1 << 19;
/** Most lines are longer; unused memory is free. */
const SHORT_LINE_BYTES = 600;
const NEWLINE = 0x0a;
/** The words of a record before its fields: the length of the line, and the place of its first item plus 1. */
const LENGTH = 0;
const STATUS = 1;
/** Marks a line with non-ASCII characters. */
const FOREIGN = 0x80000000;

/** A line, or a part of one, with its object; null if it has none. */
export interface ParsedPart extends Pick<LineSpan, 'offset' | 'length'> {
  readonly value: JsonObject | null;
}

/**
 * Reads a line that the scanner does not confirm, in its parts. `isAfterSound`: whether the line before it is sound.
 */
export type ReadLineParts = (line: RawLine, isAfterSound: boolean) => readonly ParsedPart[];

type ScannedBatch = Omit<ScannedFields, 'records' | 'items'>;

/**
 * The fields of all lines of a file. Equal texts have one number. The scanner confirms a line only if it is an object
 * in valid JSON and UTF-8; JSON.parse decides about any other one, and makes the same record.
 */
export class LineFields {
  /** The number of lines. Each part of a damaged line counts as one. */
  length = 0;
  /** The records of all lines. That of a line without an object is empty. */
  words: Uint32Array;
  /** The rows of the objects in lists. */
  items: Uint32Array;
  private itemCount = 0;
  /** The lines without an object, and their bytes. */
  private lost = 0;
  private lostBytes = 0;
  /** The offset of each line in bytes. */
  private offsets: Float64Array;
  private readonly scanner: FieldScanner;
  /** The words of a record, and of the row of an object in a list. */
  readonly recordWords: number;
  readonly itemWords: number;
  private isAfterSound = false;
  /** The parts of lines other than their first ones. */
  private readonly parts: number[] = [];
  private readonly double = new Float64Array(1);
  private readonly two = new Uint32Array(this.double.buffer);

  /** `fixedTexts`: texts that get the numbers 1, 2, 3, … */
  constructor(
    private readonly source: ByteSource,
    private readonly layout: FieldLayout,
    fixedTexts: readonly string[],
  ) {
    const room = Math.ceil(source.size / SHORT_LINE_BYTES) + 1;
    this.words = new Uint32Array(room * layout.recordWords);
    this.items = new Uint32Array(room * layout.itemWords);
    this.offsets = new Float64Array(room + 1);
    this.recordWords = layout.recordWords;
    this.itemWords = layout.itemWords;
    this.scanner = new FieldScanner(layout);
    for (const text of fixedTexts) this.scanner.intern(text);
  }

  /** The word of a field in the record of a line. */
  at(line: number, field: number): number {
    return this.words[line * this.recordWords + field] ?? 0;
  }

  /** The number of a text, 0 if the field has none. */
  textAt(line: number, field: number): number {
    return textNumberOf(this.at(line, field));
  }

  /** Milliseconds since 1970 of a timestamp, NaN if it is missing or invalid. */
  timeAt(line: number, field: number): number {
    const word = this.at(line, field);
    if (valueKindOf(word) === VALUE_KIND.time) return this.at(line, field + 1) * 1000 + valueNumberOf(word);
    return parseTimestamp(valueKindOf(word) === VALUE_KIND.text ? this.text(valueNumberOf(word)) : '');
  }

  /** A number, NaN if the field has none. */
  numberAt(line: number, field: number): number {
    if (valueKindOf(this.at(line, field)) !== VALUE_KIND.number) return Number.NaN;
    this.two[0] = this.at(line, field + 1);
    this.two[1] = this.at(line, field + 2);
    return this.double[0] ?? Number.NaN;
  }

  /** The number of lines with an object. */
  get objects(): number {
    return this.length - this.lost;
  }

  /** The bytes of the lines with an object. */
  get objectBytes(): number {
    return this.offsetOf(this.length) - this.lostBytes;
  }

  isObject(line: number): boolean {
    return this.at(line, STATUS) !== 0;
  }

  /** The row of the first object in the list of a line. */
  firstItem(line: number): number {
    return (this.at(line, STATUS) & ~FOREIGN) - 1;
  }

  itemAt(row: number, field: number): number {
    return this.items[row * this.itemWords + field] ?? 0;
  }

  text(number: number): string {
    return this.scanner.text(number);
  }

  get texts(): number {
    return this.scanner.texts;
  }

  /** The value of the eight hex digits with which a text begins; null if it does not begin so. */
  digits(number: number): number | null {
    return this.scanner.digits(number);
  }

  intern(text: string): number {
    return this.scanner.intern(text);
  }

  span(line: number): LineSpan {
    const offset = this.offsetOf(line);
    return { line: this.numberOf(line), offset, length: this.offsetOf(line + 1) - offset };
  }

  /** The number of a line in the file, from 1. */
  numberOf(line: number): number {
    const { parts } = this;
    return parts.length === 0 ? line + 1 : line + 1 - findFirstPast(parts.length, (at) => (parts[at] ?? 0) > line);
  }

  offsetOf(line: number): number {
    return this.offsets[line] ?? 0;
  }

  /** Reads all lines; the fields of none are known if the source is strict. */
  read(judge: ReadLineParts): void {
    const { source } = this;
    let at = 0;
    if (!source.isStrict) at = this.scanAll(judge);
    for (const { offset, length, terminated } of readLines(source, at))
      this.judgeNext({ line: this.numberOf(this.length), offset, length, terminated }, judge);
  }

  /** Returns the end of the last line that ends with a newline. */
  private scanAll(judge: ReadLineParts): number {
    const { source } = this;
    /** The number of bytes in memory: the beginning of a line whose newline has not been read yet. */
    let held = 0;
    for (let at = 0; at < source.size;) {
      const size = Math.min(MOST_SCANNED_BYTES - held, READ_BYTES, source.size - at);
      source.readInto(this.scanner.input.subarray(held, held + size), at);
      at += size;
      held += size;
      const end = this.scanner.input.subarray(0, held).lastIndexOf(NEWLINE) + 1;
      this.takeLines(end, judge);
      this.scanner.input.copyWithin(0, end, held);
      held -= end;
      if (held < MOST_SCANNED_BYTES) continue;
      const next = findLineStart(source, at);
      if (next === null) break;
      const offset = this.offsetOf(this.length);
      this.judgeNext({ line: this.numberOf(this.length), offset, length: next - offset, terminated: true }, judge);
      at = next;
      held = 0;
    }
    return this.offsetOf(this.length);
  }

  private takeLines(end: number, judge: ReadLineParts): void {
    for (let at = 0; at < end;) {
      const scanned = this.scanner.scan(at, end, this.itemCount);
      this.makeRoom(scanned.count, scanned.items.length);
      const { recordWords, itemWords } = this;
      this.words.set(scanned.records, this.length * recordWords);
      this.items.set(scanned.items, this.itemCount * itemWords);
      this.itemCount += scanned.items.length / itemWords;
      this.locate(scanned, at, judge);
      at = scanned.end;
    }
  }

  /** Locates the lines of new records, the first of which is at `start` in memory. */
  private locate({ count, end, isDoubtful, isForeign }: ScannedBatch, start: number, judge: ReadLineParts): void {
    const { recordWords } = this;
    // Most files are valid as a whole.
    const isUtf8At = (from: number, to: number): boolean => isUtf8(this.scanner.input.subarray(from, to));
    const isText = !isForeign || isUtf8At(start, end);
    let at = start;
    for (let left = count; left > 0; left -= 1) {
      const { length: line } = this;
      const offset = this.offsets[line] ?? 0;
      const length = this.words[line * recordWords + LENGTH] ?? 0;
      const isSound = (isText || isUtf8At(at, at + length)) && (left > 1 || !isDoubtful);
      at += length;
      if (isSound) {
        this.offsets[line + 1] = offset + length;
        this.length = line + 1;
        this.isAfterSound = true;
      } else this.judgeNext({ line: this.numberOf(line), offset, length, terminated: true }, judge);
    }
  }

  /** Adds a line that the scanner does not confirm. */
  private judgeNext(line: RawLine, judge: ReadLineParts): void {
    const parts = judge(line, this.isAfterSound);
    for (const [at, part] of parts.entries()) {
      if (at > 0) this.parts.push(this.length);
      this.addJudged(part);
    }
    this.isAfterSound = parts.at(-1)?.value !== null;
  }

  private addJudged({ offset, length: size, value }: ParsedPart): void {
    this.makeRoom(1, 0);
    const { layout, length } = this;
    const record = this.words.subarray(length * layout.recordWords, (length + 1) * layout.recordWords);
    record.fill(0);
    this.offsets[length + 1] = offset + size;
    this.length = length + 1;
    if (value === null) {
      this.lost += 1;
      this.lostBytes += size;
      return;
    }
    const items = layout.write(value, record, (text) => this.scanner.intern(text));
    record[STATUS] = this.itemCount + 1;
    this.makeRoom(0, items.length * layout.itemWords);
    for (const item of items) {
      this.items.set(item, this.itemCount * layout.itemWords);
      this.itemCount += 1;
    }
  }

  private makeRoom(lines: number, itemWords: number): void {
    const { layout } = this;
    while (
      (this.length + lines) * layout.recordWords > this.words.length ||
      this.length + lines >= this.offsets.length
    ) {
      this.words = doubleCapacity(this.words);
      this.offsets = doubleCapacity(this.offsets);
    }
    while (this.itemCount * layout.itemWords + itemWords > this.items.length) this.items = doubleCapacity(this.items);
  }
}
