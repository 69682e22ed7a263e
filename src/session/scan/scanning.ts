import { isObject } from '#base/json.js';
import { Heads } from '../table/heads.js';
import { type ByteSource, type RawLine, linesOf } from './bytes.js';
import { DamageReader, lineProblem } from './damage.js';
import { HeaderFinder, holdEntriesOfPi } from './header-finder.js';
import { type FirstLine, headerIn, isTitle, notASession, readHeader, refuseForeign } from './header.js';
import { unverified, LineScanner, RECORD_WORDS, type Records } from './line-scanner.js';
import { LONGEST_LINE_BYTES, parseLine } from './parse.js';
import { addEntry, addTitle, addLost, noteBadText, type Scan, type ScanResult, spanOf } from './scan.js';

/**
 * Reads a whole session as Pi 1.5 does. Damage becomes problems; only a file without a header throws (input),
 * since Pi does not open it either.
 */
export function scan(source: ByteSource, file: string, reading: ScanOptions = {}): Scan {
  const scanning = new Scanning(source, file, { ...FILE_START, ...reading });
  for (const records of recordsOf(source, 0, source.size)) scanning.take(records);
  scanning.takeTail();
  return scanning.scan();
}

/** Most lines are about twice as long, so there is room for all entries of a file; memory that is not used costs nothing. */
const SHORT_LINE_BYTES = 2000;

/** Below this it takes longer to start the line scanner than to parse the lines. */
const FEW_BYTES = 1 << 16;

/** Scanners that nobody uses: to make one takes longer than to scan a small file. */
const idle: LineScanner[] = [];

/** The whole lines of a range, as records that the line scanner vouches for where that is worth it. */
export function* recordsOf(source: ByteSource, start: number, end: number): Generator<Records> {
  if (end - start <= FEW_BYTES || source.isStrict) {
    for (const { length, terminated } of linesOf(source, start, end)) if (terminated) yield unverified(length);
    return;
  }
  const scanner = idle.pop() ?? new LineScanner();
  yield* scanner.scan(source, start, end);
  idle.push(scanner);
}

/** Options of a scan. */
export interface ScanOptions {
  /** Go on where no header comes first: a header that is missing or late becomes a problem. */
  readonly withoutHeader?: boolean;
}

/** Where a scan begins. */
export interface ScanStart extends ScanOptions {
  readonly offset: number;
  readonly line: number;
  readonly first: FirstLine | null;
}

/** The header is the first line of the file. */
export const FILE_START: ScanStart = { offset: 0, line: 1, first: null };

/**
 * A scan that goes on: it takes the lines of a file in order, in pieces, and says at any time what it has found.
 * A line that nobody vouches for is parsed: this is the strict reader, and the other way has to agree with it.
 */
export class Scanning {
  private readonly sorted: ScanResult;
  private readonly damage = new DamageReader();
  private first: FirstLine | null;
  private offset: number;
  private line: number;
  private readonly isWhole: boolean;
  private readonly headers: HeaderFinder | null;

  /** `beginning`: where the first line stands, if it is not the first of the file, whose header is known then. */
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
    this.sorted = { heads, titles: [], repeatedHeaders: [], blanks: [], lost: [], problems: [] };
    this.headers = withoutHeader ? new HeaderFinder(this.sorted) : null;
  }

  /** Takes the lines that follow, up to a newline. */
  take(records: Records): void {
    for (let record = 0; record < records.count;) {
      const count = this.needsHeader ? 0 : this.acceptRecords(records, record);
      if (count > 0) this.goTo(this.sorted.heads.end, count);
      else {
        const length = records.doubles[(record * RECORD_WORDS) / 2] ?? 0;
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

  /** Takes what stands behind the last newline as the last line. */
  takeTail(): void {
    const length = this.source.size - this.offset;
    if (length > 0) this.readLine(length, false);
    this.offset += length;
  }

  /** Like `takeTail`, but for a file that is still written: a tail that is no entry yet is left for later. True if the tail was taken. */
  takeTailOfEntry(): boolean {
    const { offset, line, source } = this;
    const parsed = parseLine(source, { offset, line, length: source.size - offset, terminated: false });
    const isEntry = parsed.kind === 'value' && isObject(parsed.value);
    if (isEntry) this.takeTail();
    return isEntry;
  }

  /** Goes on with what the file has become. `lacked`: the newline that the tail lacked when it was taken has come. */
  goOn(source: ByteSource, lacked: boolean): void {
    this.source = source;
    if (!lacked) return;
    this.sorted.blanks.push({ line: this.line, offset: this.offset, length: 1 });
    this.offset += 1;
    this.line += 1;
  }

  /** Where the next line begins. */
  get end(): number {
    return this.offset;
  }

  /** The result so far. Throws a CtxError (input) if there was no header. */
  scan(): Scan {
    this.damage.end();
    if (this.first === null && !holdEntriesOfPi(this.sorted.heads)) refuseForeign(this.source, this.file);
    const first = this.first ?? this.headers?.standIn(this.damage.problems) ?? null;
    const found = [...this.sorted.problems, ...this.damage.problems];
    const problems = found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    if (first === null) throw notASession(this.file, this.offset, problems);
    return { size: this.offset, isWhole: this.isWhole, ...first, ...this.sorted, problems };
  }

  /** Adds the heads of the records from this one on that the line scanner vouches for, and says how many. */
  private acceptRecords(records: Records, record: number): number {
    const { heads, problems } = this.sorted;
    const first = heads.length;
    const count = heads.acceptRecords(records, record, this.offset, this.line);
    if (count === 0) return 0;
    this.damage.end();
    if (heads.end - this.offset <= LONGEST_LINE_BYTES) return count;
    for (let index = first; index < first + count; index += 1) {
      const span = { offset: heads.offsetAt(index), length: heads.lengthAt(index), line: heads.lineAt(index) };
      if (span.length > LONGEST_LINE_BYTES) problems.push(lineProblem('line-too-long', span));
    }
    return count;
  }

  /** A line that no string can hold: nobody but the line scanner can say what it is. */
  private acceptLongRecord(length: number): boolean {
    const { offset, source } = this;
    const [records] = new LineScanner().scan(source, offset, offset + length);
    return records !== undefined && !this.needsHeader && this.acceptRecords(records, 0) > 0;
  }

  /** Reads a line as Pi does. */
  private readLine(length: number, terminated: boolean): void {
    const { sorted, damage, file } = this;
    const line: RawLine = { offset: this.offset, length, line: this.line, terminated };
    const parsed = parseLine(this.source, line);
    if (parsed.kind === 'damaged') {
      const marked = this.first ? null : this.headers?.behindMark(parsed.text, line);
      if (marked) {
        this.first = marked;
        damage.end();
        return;
      }
      sorted.lost.push(spanOf(line));
      damage.add(line, parsed.text);
      return;
    }
    if (parsed.kind === 'blank') {
      sorted.blanks.push(spanOf(line));
      return;
    }
    damage.end();
    if (parsed.kind === 'too-long') {
      if (!this.acceptLongRecord(length)) addLost(sorted, line, 'line-too-long');
    } else if (!parsed.value) addLost(sorted, line, 'not-an-object');
    else if (this.first) addEntry(sorted, line, parsed.value, this.first.header);
    else if (sorted.heads.length === 0 && isTitle(parsed.value)) addTitle(sorted, line);
    else if (this.headers) this.first = this.headers.take(parsed.value, line);
    else {
      if (headerIn(parsed.value, line) === null) refuseForeign(this.source, file);
      this.first = readHeader(parsed.value, file, line, damage.problems[0]);
    }
    if (parsed.kind === 'value' && !parsed.validUtf8) noteBadText(sorted, line);
  }
}
