import { sortByLine } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { Heads } from '../heads/heads.js';
import { type ByteSource } from './byte-source.js';
import { buildLineProblem, DamageReader } from './damage.js';
import { hasPiEntries, HeaderFinder } from './header-finder.js';
import { buildNotASessionError, buildUnknownFormatError, type LocatedHeader, readHeader } from './header.js';
import { buildUnverifiedRecord, type LineRecords, LineScanner, PI_TYPES, WORDS_PER_RECORD } from './line-scanner.js';
import { type RawLine, readLines } from './lines.js';
import { refuseOtherFile } from './other-files.js';
import { LONGEST_LINE_BYTES, parseLine } from './parse-line.js';
import { addBadTextProblem, addDamagedLine, addEntryLine, type Scan, type SortedLines, toLineSpan } from './scan.js';

/**
 * Reads a whole session as Pi 1.6 does. Damage becomes problems; only a file without a header throws (input),
 * since Pi does not open it either.
 */
export function scanSession(source: ByteSource, file: string, reading: ScanOptions = {}): Scan {
  const scanning = new IncrementalScan(source, file, { ...FILE_START, ...reading });
  for (const records of scanRecords(source, 0, source.size, reading)) scanning.take(records);
  scanning.takeTail();
  return scanning.result();
}

/** Most lines are about twice as long, so there is space for all entries of a file; unused memory is free. */
const SHORT_LINE_BYTES = 2000;

/** Idle scanners: creating one takes longer than scanning a small file. */
const idle: LineScanner[] = [];

/** The whole lines of a range, as records that the line scanner confirms if it is worth using. */
export function* scanRecords(
  source: ByteSource,
  start: number,
  end: number,
  { withShapes = false }: ScanOptions = {},
): Generator<LineRecords> {
  if (source.isStrict) {
    for (const { length, terminated } of readLines(source, start, end)) {
      if (terminated) yield buildUnverifiedRecord(length);
    }
    return;
  }
  const scanner = idle.pop() ?? new LineScanner();
  yield* scanner.scan(source, start, end, withShapes);
  idle.push(scanner);
}

export interface ScanOptions {
  /** Continue if no header comes first: a missing or late header becomes a problem. */
  readonly withoutHeader?: boolean;
  /** Determine the shapes of lines, by which `ctx check` skips most of them. It takes a tenth of the scan. */
  readonly withShapes?: boolean;
}

export interface ScanStart extends ScanOptions {
  readonly offset: number;
  readonly line: number;
  readonly first: LocatedHeader | null;
}

/** The start of a file, whose first line is the header. */
export const FILE_START: ScanStart = { offset: 0, line: 1, first: null };

/**
 * An incremental scan: it accepts the lines of a file in order, in pieces, and has a result at any time.
 * A line that the scanner does not confirm is parsed by this strict reader, and both must agree.
 */
export class IncrementalScan {
  private readonly sorted: SortedLines;
  private readonly damage = new DamageReader();
  private first: LocatedHeader | null;
  private offset: number;
  private line: number;
  private readonly isWhole: boolean;
  private readonly headers: HeaderFinder | null;

  /** `beginning`: the position of the first line, if it is not the first of the file; then the header is known. */
  constructor(
    private source: ByteSource,
    private readonly file: string,
    beginning: ScanStart = FILE_START,
  ) {
    const { offset, line, first, withoutHeader = false } = beginning;
    this.offset = offset;
    this.line = line;
    this.first = first;
    this.isWhole = offset === 0;
    const heads = new Heads(Math.ceil((source.size - offset) / SHORT_LINE_BYTES));
    this.sorted = { heads, repeatedHeaders: [], blanks: [], damaged: [], problems: [] };
    this.headers = withoutHeader ? new HeaderFinder(this.sorted) : null;
  }

  /** Adds the following lines, up to a newline. */
  take(records: LineRecords): void {
    for (let record = 0; record < records.count;) {
      const count = this.needsHeader ? 0 : this.acceptRecords(records, record);
      if (count > 0) this.goTo(this.sorted.heads.end, count);
      else {
        const length = records.doubles[(record * WORDS_PER_RECORD) / 2] ?? 0;
        this.readLine(length, true);
        this.goTo(this.offset + length, 1);
      }
      record += Math.max(1, count);
    }
  }

  private goTo(offset: number, lines: number): void {
    this.offset = offset;
    this.line += lines;
  }

  get hasHeader(): boolean {
    return this.first !== null;
  }

  /** Whether no line can be an entry yet. */
  private get needsHeader(): boolean {
    return this.first === null && this.headers === null;
  }

  /** Adds the data after the last newline as the last line. */
  takeTail(): void {
    const length = this.source.size - this.offset;
    if (length > 0) this.readLine(length, false);
    this.offset += length;
  }

  /**
   * Takes the tail of a file that may still grow: a tail that is not yet an entry is left for later. Returns whether it
   * added one.
   */
  takeEntryTail(): boolean {
    const { offset, line, source } = this;
    const parsed = parseLine(source, { offset, line, length: source.size - offset, terminated: false });
    const isEntry = parsed.kind === 'value' && isObject(parsed.value);
    if (isEntry) this.takeTail();
    return isEntry;
  }

  /** Continues with the grown file. `lacked`: the newline that the tail lacked has been written. */
  continueWith(source: ByteSource, lacked: boolean): void {
    this.source = source;
    if (!lacked) return;
    this.sorted.blanks.push({ line: this.line, offset: this.offset, length: 1 });
    this.offset += 1;
    this.line += 1;
  }

  /** The start of the next line. */
  get end(): number {
    return this.offset;
  }

  /** The result so far. Throws a CtxError (input) if there was no header. */
  result(): Scan {
    this.damage.end();
    this.refuseOther();
    const first = this.first ?? this.headers?.buildStandIn(this.damage.problems) ?? null;
    const problems = sortByLine([...this.sorted.problems, ...this.damage.problems]);
    if (first === null) throw buildNotASessionError(this.source, this.file, problems);
    return { size: this.offset, isWhole: this.isWhole, ...first, ...this.sorted, problems };
  }

  /**
   * Throws a CtxError (input) for a file of another program, which may write a header, and entries that look like Pi's.
   */
  private refuseOther(): void {
    const { heads } = this.sorted;
    const begin = heads.at(0);
    const isSession = hasPiEntries(heads);
    const isSuspicious = this.first === null || (begin && !begin.id && !PI_TYPES.includes(begin.type ?? ''));
    if (isSuspicious) refuseOtherFile(this.source, this.file, { isSession });
    // Pi's first version is 1. A file with neither a header nor an entry of Pi is of another program.
    const hasPiHeader = this.first !== null && !(this.first.header.version < 1);
    if (begin && !isSession && !hasPiHeader) throw buildUnknownFormatError(`${this.file}:${heads.lineAt(0)}`);
  }

  /** Adds the heads of the confirmed records from this one on, and returns their number. */
  private acceptRecords(records: LineRecords, record: number): number {
    const { heads, problems } = this.sorted;
    const first = heads.length;
    const count = heads.acceptRecords(records, record, this.offset, this.line);
    if (count === 0) return 0;
    this.damage.end();
    if (heads.end - this.offset <= LONGEST_LINE_BYTES) return count;
    for (let index = first; index < first + count; index += 1) {
      const span = { offset: heads.offsetAt(index), length: heads.lengthAt(index), line: heads.lineAt(index) };
      if (span.length > LONGEST_LINE_BYTES) problems.push(buildLineProblem('line-too-long', span));
    }
    return count;
  }

  /** Adds a line that is too long for a string, using the line scanner's record. */
  private acceptLongRecord(length: number): boolean {
    const { offset, source } = this;
    const [records] = new LineScanner().scan(source, offset, offset + length);
    return records !== undefined && !this.needsHeader && this.acceptRecords(records, 0) > 0;
  }

  /** Reads a line as Pi does. */
  private readLine(length: number, terminated: boolean): void {
    const { sorted } = this;
    const line: RawLine = { offset: this.offset, length, line: this.line, terminated };
    const parsed = parseLine(this.source, line);
    if (parsed.kind === 'blank') {
      sorted.blanks.push(toLineSpan(line));
      return;
    }
    if (parsed.kind === 'damaged') {
      this.takeDamaged(line, parsed.text);
      return;
    }
    this.damage.end();
    if (parsed.kind === 'too-long') {
      if (!this.acceptLongRecord(length)) addDamagedLine(sorted, line, 'line-too-long');
      return;
    }
    this.takeValue(line, parsed.value);
    if (!parsed.validUtf8) addBadTextProblem(sorted, line);
  }

  private takeDamaged(line: RawLine, text: string): void {
    const marked = this.first ? null : this.headers?.readBehindMark(text, line);
    if (marked) {
      this.first = marked;
      this.damage.end();
      return;
    }
    this.sorted.damaged.push(toLineSpan(line));
    this.damage.add(line, text);
  }

  /** Adds the value of a line: an entry, or the header before the first one. */
  private takeValue(line: RawLine, value: unknown): void {
    const { sorted, source, file } = this;
    if (!value) addDamagedLine(sorted, line, 'not-an-object');
    else if (this.first) addEntryLine(sorted, line, value, this.first.header);
    else if (this.headers) this.first = this.headers.take(value, line);
    else this.first = readHeader(value, line, { source, file, damaged: this.damage.problems[0] });
  }
}
