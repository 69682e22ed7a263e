import type { Problem } from '#base/errors.js';
import { isObject, parseJson } from '#base/json.js';
import type { Heads } from '../heads/heads.js';
import { buildLineProblem } from './damage.js';
import { type Header, type LocatedHeader, parseHeader } from './header.js';
import { PI_TYPES } from './line-scanner.js';
import type { LineSpan } from './lines.js';
import { addEntryLine, type SortedLines, toLineSpan } from './scan.js';

/**
 * Finds the header of a file that Pi refuses: it may follow entries or a byte order mark, or be
 * missing. Until it is found, every line with a value is an entry.
 */
export class HeaderFinder {
  constructor(private readonly sorted: SortedLines) {}

  /** The header, if this value is one; any other value is added to the lines. */
  take(value: unknown, line: LineSpan): LocatedHeader | null {
    const { sorted, keptLines } = this;
    const found = parseHeader(value, line);
    if (found && keptLines > 0)
      this.settle(found.header, buildHeaderProblem('late-header', line, describeLateHeader(keptLines)));
    if (found) return found;
    if (isObject(value) && value.type === 'session') {
      sorted.repeatedHeaders.push(toLineSpan(line));
      sorted.problems.push(buildHeaderProblem('missing-header', line, 'the session header has no id'));
    } else {
      addEntryLine(sorted, line, value, STAND_IN);
    }
    return null;
  }

  /** The header in a first line that only a byte order mark makes unreadable. */
  readBehindMark(text: string, line: LineSpan): LocatedHeader | null {
    if (this.keptLines > 0 || !text.startsWith('\ufeff')) return null;
    const found = parseHeader(parseJson(text.slice(1)), line);
    if (found) this.sorted.problems.push(buildLineProblem('byte-order-mark', line));
    return found;
  }

  /** A header of no bytes for a file without one; null for a file without any JSON. */
  buildStandIn(damage: readonly Problem[]): LocatedHeader | null {
    const { sorted, keptLines } = this;
    const first = sorted.heads.at(0) ?? damage.find(({ code }) => HOLDS_JSON.has(code));
    if (keptLines === 0 && !first) return null;
    const version = sorted.heads.length > 0 && !this.hasIds() ? 1 : STAND_IN.version;
    const header = { ...STAND_IN, version };
    const isKnown = sorted.problems.some(({ code }) => code === 'missing-header');
    if (!isKnown && first)
      this.settle(header, buildHeaderProblem('missing-header', first, 'no line is a session header'));
    return { header, headerSpan: { line: 0, offset: 0, length: 0 } };
  }

  private get keptLines(): number {
    return this.sorted.heads.length + this.sorted.repeatedHeaders.length;
  }

  /** Whether entries have ids. In version 1 none has. */
  private hasIds(): boolean {
    for (const { id } of this.sorted.heads) {
      if (id) return true;
    }
    return false;
  }

  /** Removes problems about missing ids after the version turned out to be 1. */
  private settle({ version }: Header, problem: Problem): void {
    const { problems } = this.sorted;
    const others = problems.filter(({ code }) => code !== 'no-id' || !(version < 2));
    problems.length = 0;
    for (const other of others) problems.push(other);
    problems.push(problem);
  }
}

/** The empty header of a session without one. */
const STAND_IN: Header = { id: '', version: 3, timestamp: null, cwd: null, fields: {} };

/** Lines that Pi cannot read, but that contain JSON. */
const HOLDS_JSON: ReadonlySet<string> = new Set(['glued-lines', 'split-line', 'byte-order-mark']);

function describeLateHeader(lines: number): string {
  return `the session header comes after ${lines === 1 ? 'another line' : `${lines} other lines`}`;
}

type Place = Pick<Problem, 'line' | 'offset' | 'length'>;

function buildHeaderProblem(code: string, { line, offset = 0, length = 0 }: Place, what: string): Problem {
  const message = `${what}, so Pi does not open the file`;
  return { code, severity: 'error', message, line, entryId: null, offset, length };
}

/** Whether an entry has a type that Pi knows. */
export function hasPiEntries(heads: Heads): boolean {
  const { length } = heads;
  for (let index = 0; index < length; index += 1) {
    if (PI_TYPES.includes(heads.typeAt(index) ?? '')) return true;
  }
  return false;
}
