import type { Problem } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { formatId, type NewHead, toHead } from '../heads/head.js';
import type { Heads } from '../heads/heads.js';
import { buildLineProblem, type LineDamage } from './damage.js';
import type { Header } from './header.js';
import type { LineSpan } from './lines.js';

/** The use of every byte of the file. The lengths of all spans add up to the size of the file. */
export interface Scan {
  readonly size: number;
  /** false if only lines from a later point of the file on were read. */
  readonly isWhole: boolean;
  readonly header: Header;
  readonly headerSpan: LineSpan;
  /** Entries in file order. */
  readonly heads: Heads;
  readonly repeatedHeaders: readonly LineSpan[];
  readonly blanks: readonly LineSpan[];
  /** Damaged lines without an entry. */
  readonly damaged: readonly LineSpan[];
  readonly problems: readonly Problem[];
  /** The bytes of all lines of another agent that were understood; their entries are not in `heads`. */
  readonly agentBytes?: number;
}

/** The number of bytes that the scan accounts for: always the size of the file. */
export function bytesAccountedFor(scan: Scan): number {
  const { headerSpan, heads, repeatedHeaders, blanks, damaged, agentBytes = 0 } = scan;
  let bytes = headerSpan.length + agentBytes;
  for (const spans of [heads, repeatedHeaders, blanks, damaged]) for (const { length } of spans) bytes += length;
  return bytes;
}

/** The lines read so far, by their content. */
export interface SortedLines {
  readonly heads: Heads;
  readonly repeatedHeaders: LineSpan[];
  readonly blanks: LineSpan[];
  readonly damaged: LineSpan[];
  readonly problems: Problem[];
}

/** Adds a damaged line without an entry. */
export function addDamagedLine(
  sorted: Pick<SortedLines, 'damaged' | 'problems'>,
  line: LineSpan,
  damage: LineDamage,
): void {
  sorted.damaged.push(toLineSpan(line));
  sorted.problems.push(buildLineProblem(damage, line));
}

/** Adds a line with a value, which is an entry unless it is a second header. */
export function addEntryLine(sorted: SortedLines, line: LineSpan, value: unknown, header: Header): void {
  if (isObject(value) && value.type === 'session') {
    sorted.repeatedHeaders.push(toLineSpan(line));
    sorted.problems.push(buildLineProblem('repeated-header', line));
    return;
  }
  const head = toHead(value, line);
  sorted.heads.push(head);
  for (const code of findEntryDamage(head, value, header))
    sorted.problems.push(buildLineProblem(code, line, formatId(head.id)));
}

/** Reports that the newest line contains bytes that are not UTF-8. */
export function addBadTextProblem({ heads, problems }: SortedLines, line: LineSpan): void {
  const { last } = heads;
  problems.push(buildLineProblem('invalid-utf8', line, last?.line === line.line ? formatId(last.id) : null));
}

export function toLineSpan({ line, offset, length }: LineSpan): LineSpan {
  return { line, offset, length };
}

function findEntryDamage(head: NewHead, value: unknown, header: Header): LineDamage[] {
  if (!isObject(value)) return ['not-an-object'];
  const damage: LineDamage[] = [];
  if (!head.id && !(header.version < 2)) damage.push('no-id');
  if (head.type === null) damage.push('no-type');
  return damage;
}
