import { isUtf8 } from 'node:buffer';
import type { ByteSource } from './byte-source.js';
import type { FieldLayout } from './field-layout.js';
import { FieldScanner, MOST_SCANNED_BYTES, type ScannedFields } from './field-scanner.js';
import { LineFields, type ParsedPart } from './line-fields.js';
import { findLineStart, type RawLine, readLines } from './lines.js';

/** The bytes that are read at once. Each read goes on where the last one ended. */
const READ_BYTES = 1 << 19;
const NEWLINE = 0x0a;

/**
 * Parses a line that the scanner does not confirm, in its parts. `isAfterSound`: whether the line before it is sound.
 */
export type ParseLineParts = (line: RawLine, isAfterSound: boolean) => readonly ParsedPart[];

/**
 * Reads the fields of all lines of a file. The scanner confirms a line only if it is an object in valid JSON and UTF-8;
 * JSON.parse decides about any other one, and makes the same record. Of a strict source, it decides about all.
 * `fixedTexts`: texts that get the numbers 1, 2, 3, …
 */
export function readLineFields(
  source: ByteSource,
  layout: FieldLayout,
  fixedTexts: readonly string[],
  parseParts: ParseLineParts,
): LineFields {
  const reader = new LineFieldsReader(source, layout, fixedTexts, parseParts);
  reader.read();
  return reader.fields;
}

class LineFieldsReader {
  readonly fields: LineFields;
  private readonly scanner: FieldScanner;
  /** Whether the last line that was read is sound. */
  private isAfterSound = false;

  constructor(
    private readonly source: ByteSource,
    layout: FieldLayout,
    fixedTexts: readonly string[],
    private readonly parseParts: ParseLineParts,
  ) {
    this.scanner = new FieldScanner(layout);
    for (const text of fixedTexts) this.scanner.intern(text);
    this.fields = new LineFields(source.size, layout, this.scanner);
  }

  read(): void {
    const scannedEnd = this.source.isStrict ? 0 : this.scanAll();
    for (const line of readLines(this.source, scannedEnd)) this.parseNext(line.offset, line.length, line.terminated);
  }

  /** Scans all lines that end with a newline, and returns the end of the last one. */
  private scanAll(): number {
    const { source, scanner } = this;
    /** The number of bytes in memory: the beginning of a line whose newline has not been read yet. */
    let held = 0;
    for (let at = 0; at < source.size;) {
      const size = Math.min(MOST_SCANNED_BYTES - held, READ_BYTES, source.size - at);
      source.readInto(scanner.input.subarray(held, held + size), at);
      at += size;
      held += size;
      const end = scanner.input.subarray(0, held).lastIndexOf(NEWLINE) + 1;
      this.scanLines(end);
      scanner.input.copyWithin(0, end, held);
      held -= end;
      if (held < MOST_SCANNED_BYTES) continue;
      // The line is longer than the memory.
      const next = findLineStart(source, at);
      if (next === null) break;
      const offset = this.endOfLines();
      this.parseNext(offset, next - offset);
      at = next;
      held = 0;
    }
    return this.endOfLines();
  }

  private endOfLines(): number {
    return this.fields.offsetOf(this.fields.length);
  }

  /** Scans the lines in memory, up to `end`. */
  private scanLines(end: number): void {
    for (let at = 0; at < end;) {
      const scanned = this.scanner.scan(at, end, this.fields.rows);
      this.fields.addScanned(scanned);
      this.confirmLines(scanned, at);
      at = scanned.end;
    }
  }

  /** Adds the lines of new records, the first of which is at `start` in memory. */
  private confirmLines({ count, end, isDoubtful, isForeign }: ScannedFields, start: number): void {
    const { fields } = this;
    const isUtf8At = (from: number, to: number): boolean => isUtf8(this.scanner.input.subarray(from, to));
    // Most files are valid as a whole.
    const areAllUtf8 = !isForeign || isUtf8At(start, end);
    let at = start;
    for (let left = count; left > 0; left -= 1) {
      const { nextLength } = fields;
      const isConfirmed = left > 1 || !isDoubtful;
      const isSound = isConfirmed && (areAllUtf8 || isUtf8At(at, at + nextLength));
      at += nextLength;
      if (isSound) {
        fields.confirmLine();
        this.isAfterSound = true;
      } else {
        // Only the last one can have several parts: all others are JSON. So no record of a later line is overwritten.
        this.parseNext(this.endOfLines(), nextLength);
      }
    }
  }

  /** Adds a line that the scanner does not confirm. */
  private parseNext(offset: number, length: number, terminated = true): void {
    const { fields } = this;
    const line = { line: fields.numberOf(fields.length), offset, length, terminated };
    const parts = this.parseParts(line, this.isAfterSound);
    for (const [at, part] of parts.entries()) fields.addParsed(part, at > 0);
    this.isAfterSound = parts.at(-1)?.value !== null;
  }
}
