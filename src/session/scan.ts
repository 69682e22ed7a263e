import { CtxError, type Problem } from '../errors.js';
import type { ByteSource, Span } from './bytes.js';
import { DamageReader, type LineDamage, lineProblem } from './damage.js';
import { headOf, idText, type NewHead } from './head.js';
import { Heads } from './heads.js';
import { type Line, linesOf } from './lines.js';
import { parseLine } from './parse.js';
import { asString, isObject, type JsonObject } from './values.js';

/** The first line of a session, with every field as it was written. */
export interface Header {
  readonly id: string;
  /** 1 where the file does not say. Compared as JavaScript compares, so `"3"` is 3. */
  readonly version: number;
  readonly timestamp: string | null;
  readonly cwd: string | null;
  readonly fields: JsonObject;
}

/** Where every byte of the file went. The lengths of all spans add up to the size of the file. */
export interface Scan {
  readonly size: number;
  readonly header: Header;
  readonly headerSpan: Span;
  /** Entries in file order. */
  readonly heads: Heads;
  readonly repeatedHeaders: readonly Span[];
  readonly blanks: readonly Span[];
  /** Damaged lines that hold no entry. */
  readonly lost: readonly Span[];
  readonly problems: readonly Problem[];
}

/**
 * The strict reader: parses every line and keeps what Pi 1.5 keeps. Damage becomes problems; only a file
 * without a header throws (input), since Pi does not open it either.
 */
export function scan(source: ByteSource, file: string): Scan {
  if (source.size === 0) throw new CtxError('input', 'the file is empty', { where: file, hint: NAME_A_SESSION });
  const sorted = { heads: new Heads(), repeatedHeaders: [], blanks: [], lost: [], problems: [] } as Sorted;
  const damage = new DamageReader();
  let first: FirstLine | null = null;
  for (const line of linesOf(source)) {
    const parsed = parseLine(source, line);
    if (parsed.kind === 'damaged') {
      sorted.lost.push(spanOf(line));
      damage.add(line, parsed.text);
      continue;
    }
    if (parsed.kind === 'blank') {
      sorted.blanks.push(spanOf(line));
      continue;
    }
    damage.end();
    if (parsed.kind === 'too-long') lose(sorted, line, 'line-too-long');
    else if (!parsed.value) lose(sorted, line, 'not-an-object');
    else if (first === null) first = readHeader(parsed.value, file, line, damage.problems[0]);
    else keep(sorted, line, parsed.value, first.header);
    if (parsed.kind === 'value' && !parsed.validUtf8) sorted.problems.push(invalidUtf8(line, sorted.heads.last));
  }
  damage.end();
  const problems = [...sorted.problems, ...damage.problems].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  if (first === null) throw notASession(file, problems);
  return { size: source.size, ...first, ...sorted, problems };
}

type FirstLine = Pick<Scan, 'header' | 'headerSpan'>;

interface Sorted {
  readonly heads: Heads;
  readonly repeatedHeaders: Span[];
  readonly blanks: Span[];
  readonly lost: Span[];
  readonly problems: Problem[];
}

function lose(sorted: Sorted, line: Line, damage: LineDamage): void {
  sorted.lost.push(spanOf(line));
  sorted.problems.push(lineProblem(damage, line));
}

function keep(sorted: Sorted, line: Line, value: unknown, header: Header): void {
  if (isObject(value) && value['type'] === 'session') {
    sorted.repeatedHeaders.push(spanOf(line));
    sorted.problems.push(lineProblem('repeated-header', line));
    return;
  }
  const head = headOf(value, line);
  sorted.heads.push(head);
  for (const code of damageOfEntry(head, value, header)) sorted.problems.push(lineProblem(code, line, idText(head.id)));
}

function invalidUtf8(line: Line, head: NewHead | undefined): Problem {
  return lineProblem('invalid-utf8', line, head?.line === line.line ? idText(head.id) : null);
}

/** The number of bytes that the scan can account for: always the size of the file. */
export function bytesAccountedFor({ headerSpan, heads, repeatedHeaders, blanks, lost }: Scan): number {
  let bytes = headerSpan.length;
  for (const spans of [heads, repeatedHeaders, blanks, lost]) for (const { length } of spans) bytes += length;
  return bytes;
}

function spanOf({ line, offset, length }: Line): Span {
  return { line, offset, length };
}

/** The first line that parses must be the header. `damaged` is what was wrong with a line before it. */
function readHeader(value: unknown, file: string, line: Line, damaged: Problem | undefined): FirstLine {
  if (!isObject(value) || value['type'] !== 'session' || typeof value['id'] !== 'string') {
    throw damaged ? notASession(file, [damaged]) : noHeader(value, file, line);
  }
  const version = value['version'] ?? 1;
  const header: Header = {
    id: value['id'],
    version: typeof version === 'object' ? Number.NaN : Number(version),
    timestamp: asString(value['timestamp']),
    cwd: asString(value['cwd']),
    fields: value,
  };
  return { header, headerSpan: spanOf(line) };
}

function damageOfEntry(head: NewHead, value: unknown, header: Header): LineDamage[] {
  if (!isObject(value)) return ['not-an-object'];
  const damage: LineDamage[] = [];
  if (!head.id && !(header.version < 2)) damage.push('no-id');
  if (head.type === null) damage.push('no-type');
  return damage;
}

function noHeader(value: unknown, file: string, line: Line): CtxError {
  const where = `${file}:${line.line}`;
  const type = isObject(value) ? asString(value['type']) : null;
  if (type === null)
    return new CtxError('input', 'not a Pi session: this line is no session header', { where, hint: NAME_A_SESSION });
  const what =
    type === 'session' ? 'the session header has no id' : `a session header should come first, not a "${type}" entry`;
  return new CtxError('input', what, { where, hint: `Pi refuses this file too; begin it with ${EXAMPLE_HEADER}` });
}

const NAME_A_SESSION = 'name a .jsonl file that begins with a session header';
const EXAMPLE_HEADER = '{"type":"session","version":3,"id":"…","timestamp":"…","cwd":"…"}';

function notASession(file: string, [problem]: readonly Problem[]): CtxError {
  const reason = problem ? ` (line ${problem.line}: ${problem.message})` : '';
  return new CtxError('input', `not a Pi session${reason}`, { where: file, hint: NAME_A_SESSION });
}
