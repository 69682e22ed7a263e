import { isObject } from '#base/json.js';
import { Heads } from '../table/heads.js';
import type { ByteSource } from './bytes.js';
import { DamageReader, lineProblem } from './damage.js';
import { holdEntriesOfPi } from './entries-of-pi.js';
import { refuseForeign } from './foreign.js';
import { HeaderFinder } from './header-finder.js';
import { type FirstLine, headerIn, isTitle, notASession, readHeader } from './header.js';
import { doubtful, LineScanner, RECORD_WORDS, type Records } from './line-scanner.js';
import { type Line, linesOf } from './lines.js';
import { LONGEST_LINE_BYTES, parseLine } from './parse.js';
import type { Scan } from './scan.js';
import { keep, keepTitle, lose, noteBadText, type Sorted, spanOf } from './sorted-lines.js';

/**
 * Reads a whole session as Pi 1.5 does. Damage becomes problems; only a file without a header throws (input),
 * since Pi does not open it either.
 */
export function scan(source: ByteSource, file: string, reading: Reading = {}): Scan {
  const scanning = new Scanning(source, file, { ...TOP, ...reading });
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
  if (end - start <= FEW_BYTES || source.isDoubted) {
    for (const { length, terminated } of linesOf(source, start, end)) if (terminated) yield doubtful(length);
    return;
  }
  const scanner = idle.pop() ?? new LineScanner();
  yield* scanner.scan(source, start, end);
  idle.push(scanner);
}

/** What to take for a session. */
export interface Reading {
  /** Go on where no header comes first: a header that is missing or late becomes a problem. */
  readonly withoutHeader?: boolean;
}

/** Where a scan begins. */
export interface Beginning extends Reading {
  readonly offset: number;
  readonly line: number;
  readonly first: FirstLine | null;
}

/** The header is the first line of the file. */
export const TOP: Beginning = { offset: 0, line: 1, first: null };

/**
 * A scan that goes on: it takes the lines of a file in order, in pieces, and says at any time what it has found.
 * A line that nobody vouches for is parsed: this is the strict reader, and the other way has to agree with it.
 */
export class Scanning {
  private readonly sorted: Sorted;
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
    beginning: Beginning = TOP,
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
      const count = this.needsHeader ? 0 : this.trust(records, record);
      if (count > 0) this.goTo(this.sorted.heads.end, count);
      else {
        const length = records.doubles[(record * RECORD_WORDS) / 2] ?? 0;
        this.judge(length, true);
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
    if (length > 0) this.judge(length, false);
    this.offset += length;
  }

  /** The same for a file that is still written: what is no entry yet is left for later. True if the tail was taken. */
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

  /** What was found so far. Throws a CtxError (input) if there was no header. */
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
  private trust(records: Records, record: number): number {
    const { heads, problems } = this.sorted;
    const first = heads.length;
    const count = heads.trust(records, record, this.offset, this.line);
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
  private trustLong(length: number): boolean {
    const { offset, source } = this;
    const [records] = new LineScanner().scan(source, offset, offset + length);
    return records !== undefined && !this.needsHeader && this.trust(records, 0) > 0;
  }

  /** Reads a line as Pi does. */
  private judge(length: number, terminated: boolean): void {
    const { sorted, damage, file } = this;
    const line: Line = { offset: this.offset, length, line: this.line, terminated };
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
      if (!this.trustLong(length)) lose(sorted, line, 'line-too-long');
    } else if (!parsed.value) lose(sorted, line, 'not-an-object');
    else if (this.first) keep(sorted, line, parsed.value, this.first.header);
    else if (sorted.heads.length === 0 && isTitle(parsed.value)) keepTitle(sorted, line);
    else if (this.headers) this.first = this.headers.take(parsed.value, line);
    else {
      if (headerIn(parsed.value, line) === null) refuseForeign(this.source, file);
      this.first = readHeader(parsed.value, file, line, damage.problems[0]);
    }
    if (parsed.kind === 'value' && !parsed.validUtf8) noteBadText(sorted, line);
  }
}
