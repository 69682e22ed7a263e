import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { findFirstPast } from '#base/lists.js';

/** The lines of a file that a read has shown, counted from 1, the last one included. */
export interface ReadRange {
  readonly first: number;
  readonly last: number;
  /** All of the file as it was then. */
  readonly isWhole: boolean;
}

/** The lines that a call has read; null if unknown arguments ask for a part. */
export function findReadRange({ args, result }: Pick<ToolUse, 'args' | 'result'>): ReadRange | null {
  const { offset, limit } = args;
  if (Object.keys(args).some((key) => !KNOWN_ARGUMENTS.has(key) && PART.test(key))) return null;
  if (!isCount(offset) || !isCount(limit)) return null;
  const first = Math.max(1, offset ?? 1);
  const notice = NOTICE.exec(result.slice(-LONGEST_NOTICE));
  const text = notice ? result.slice(0, -notice[0].length) : result;
  // A file ends with a newline, which begins no line.
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { first, last: first + lines - 1, isWhole: first === 1 && limit === undefined && !notice };
}

/** The part of a file that a call has read, for a note: ` (lines 200-250)`; empty if it begins with the first line. */
export function describePart(use: Pick<ToolUse, 'args' | 'result'>): string {
  const range = findReadRange(use);
  return range && range.first > 1 ? ` (lines ${range.first}-${range.last})` : '';
}

const KNOWN_ARGUMENTS: ReadonlySet<string> = new Set(['offset', 'limit']);

const PART = /line|range|start|end|from|page|section|symbol|offset|limit|head|tail|chunk/i;

/** The note that Pi writes below a part of a file. */
const NOTICE = /\n*\[(?:Showing lines \d+-\d+ of \d+|\d+ more lines in file|Line \d+ is )[^\]\n]*\]$/;

const LONGEST_NOTICE = 1000;

function isCount(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value));
}

/** Reads of one file that stay, to find one that shows all that another has shown. They are added newest first. */
export class FileReads<Read> {
  /** None shows all that another shows: both the first and the last lines grow. */
  private readonly ranges: { readonly range: ReadRange; readonly read: Read }[] = [];
  private whole: Read | null = null;

  add(range: ReadRange | null, read: Read): void {
    if (!range) return;
    if (range.isWhole) this.whole ??= read;
    const at = this.findPlace(range.first);
    const isAmong = this.ranges[at - 1];
    if (isAmong && isAmong.range.last >= range.last) return;
    const from = isAmong?.range.first === range.first ? at - 1 : at;
    let to = from;
    while ((this.ranges[to]?.range.last ?? Infinity) <= range.last) to += 1;
    this.ranges.splice(from, to - from, { range, read });
  }

  /**
   * A read that shows all lines of a range. A whole file covers every part. A file that was read whole twice may have
   * become shorter in between.
   */
  findCovering(range: ReadRange | null): Read | null {
    if (!range) return this.whole;
    const found = this.ranges[this.findPlace(range.first) - 1];
    if (found && found.range.last >= range.last) return found.read;
    return range.isWhole ? this.whole : null;
  }

  /** The number that begin at or before a line. */
  private findPlace(first: number): number {
    return findFirstPast(this.ranges.length, (at) => (this.ranges[at]?.range.first ?? Infinity) > first);
  }
}
