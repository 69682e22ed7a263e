import type { JsonObject } from '#base/json.js';
import { doubleCapacity, findFirstPast } from '#base/lists.js';
import { parseTimestamp } from '#base/time.js';
import { type FieldLayout, textNumberOf, VALUE_KIND, valueKindOf, valueNumberOf } from './field-layout.js';
import type { FieldScanner, ScannedFields } from './field-scanner.js';
import type { LineSpan } from './lines.js';

/** Most lines are longer. Memory that is allocated for more lines than there are is not used, and costs nothing. */
const SHORT_LINE_BYTES = 600;
/**
 * The words of a record before its fields. The second one is the row of the first object in its list, plus 1, with the
 * mark NON_ASCII; 0 for a line without an object.
 */
const LENGTH_WORD = 0;
const ITEM_WORD = 1;
/** Marks a line with non-ASCII characters. */
const NON_ASCII = 0x80000000;

/** A line, or a part of one, with its object; null if it has none. */
export interface ParsedPart extends Pick<LineSpan, 'offset' | 'length'> {
  readonly value: JsonObject | null;
}

/**
 * The fields of all lines of a file, without their values: a table with a record for each line, and a row for each object
 * in the list of a line. Texts are numbers, from 1; equal texts have one. `readLineFields` fills it.
 */
export class LineFields {
  /** The number of lines. Each part of a damaged line counts as one. */
  length = 0;
  /** The records of all lines. That of a line without an object is empty. */
  words: Uint32Array;
  /** The words of a record. */
  readonly recordWords: number;
  /** The rows of the objects in lists. */
  private items: Uint32Array;
  private itemCount = 0;
  /** The lines without an object, and their bytes. */
  private lost = 0;
  private lostBytes = 0;
  /** The offset of each line in bytes. */
  private offsets: Float64Array;
  /** The parts of lines other than their first ones. */
  private readonly laterParts: number[] = [];
  /** Two words, and the number that they are the bytes of. */
  private readonly numberWords = new Uint32Array(2);
  private readonly double = new Float64Array(this.numberWords.buffer);

  /** `size`: that of the file, in bytes. `scanner`: numbers the texts. */
  constructor(
    size: number,
    private readonly layout: FieldLayout,
    private readonly scanner: FieldScanner,
  ) {
    const room = Math.ceil(size / SHORT_LINE_BYTES) + 1;
    this.recordWords = layout.recordWords;
    this.words = new Uint32Array(room * layout.recordWords);
    this.items = new Uint32Array(room * layout.itemWords);
    this.offsets = new Float64Array(room + 1);
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
    this.numberWords[0] = this.at(line, field + 1);
    this.numberWords[1] = this.at(line, field + 2);
    return this.double[0] ?? Number.NaN;
  }

  isObject(line: number): boolean {
    return this.at(line, ITEM_WORD) !== 0;
  }

  /** The row of the first object in the list of a line. The others follow it. */
  firstItem(line: number): number {
    return (this.at(line, ITEM_WORD) & ~NON_ASCII) - 1;
  }

  /** The word of a field in the row of an object. */
  itemAt(row: number, field: number): number {
    return this.items[row * this.layout.itemWords + field] ?? 0;
  }

  /** The text of a number. */
  text(number: number): string {
    return this.scanner.text(number);
  }

  /** The number of texts. */
  get texts(): number {
    return this.scanner.texts;
  }

  /** The value of the eight hex digits with which a text begins; null if it does not begin so. */
  digits(number: number): number | null {
    return this.scanner.digits(number);
  }

  /** The number of a text, which gets one if it has none. */
  intern(text: string): number {
    return this.scanner.intern(text);
  }

  span(line: number): LineSpan {
    const offset = this.offsetOf(line);
    return { line: this.numberOf(line), offset, length: this.offsetOf(line + 1) - offset };
  }

  /** The number of a line in the file, from 1. */
  numberOf(line: number): number {
    const { laterParts } = this;
    if (laterParts.length === 0) return line + 1;
    return line + 1 - findFirstPast(laterParts.length, (at) => (laterParts[at] ?? 0) > line);
  }

  offsetOf(line: number): number {
    return this.offsets[line] ?? 0;
  }

  /** The number of lines with an object. */
  get objects(): number {
    return this.length - this.lost;
  }

  /** The bytes of the lines with an object. */
  get objectBytes(): number {
    return this.offsetOf(this.length) - this.lostBytes;
  }

  /** Copies the records that the scanner has read. Each is a line once `confirmLine` is called. */
  addScanned({ count, records, items }: ScannedFields): void {
    const { recordWords, itemWords } = this.layout;
    this.makeRoom(count, items.length);
    this.words.set(records, this.length * recordWords);
    this.items.set(items, this.itemCount * itemWords);
    this.itemCount += items.length / itemWords;
  }

  /** The number of the rows of objects, which the scanner goes on to count. */
  get rows(): number {
    return this.itemCount;
  }

  /** The length in bytes of the next line whose record was copied. */
  get nextLength(): number {
    return this.at(this.length, LENGTH_WORD);
  }

  /** Adds the next line whose record was copied. */
  confirmLine(): void {
    this.addLine(this.offsetOf(this.length), this.nextLength);
  }

  /** Adds a line, or a part of one, from its object. It takes the place of a record that was copied for it. */
  addParsed({ offset, length, value }: ParsedPart, isLaterPart: boolean): void {
    const { layout } = this;
    this.makeRoom(1, 0);
    if (isLaterPart) this.laterParts.push(this.length);
    const record = this.words.subarray(this.length * layout.recordWords, (this.length + 1) * layout.recordWords);
    record.fill(0);
    this.addLine(offset, length);
    if (value === null) {
      this.lost += 1;
      this.lostBytes += length;
      return;
    }
    const items = layout.write(value, record, (text) => this.scanner.intern(text));
    record[ITEM_WORD] = this.itemCount + 1;
    this.makeRoom(0, items.length * layout.itemWords);
    for (const item of items) {
      this.items.set(item, this.itemCount * layout.itemWords);
      this.itemCount += 1;
    }
  }

  private addLine(offset: number, length: number): void {
    this.offsets[this.length + 1] = offset + length;
    this.length += 1;
  }

  private makeRoom(lines: number, itemWords: number): void {
    const { recordWords } = this;
    const wanted = this.length + lines;
    while (wanted * recordWords > this.words.length || wanted >= this.offsets.length) {
      this.words = doubleCapacity(this.words);
      this.offsets = doubleCapacity(this.offsets);
    }
    const usedWords = this.itemCount * this.layout.itemWords;
    while (usedWords + itemWords > this.items.length) this.items = doubleCapacity(this.items);
  }
}
