import { CtxError, type Problem } from '#base/errors.js';
import { asCount, asObject, isObject, type JsonObject } from '#base/json.js';
import type { ForeignOrigin } from './agents/define.js';
import { migrate, retypeTransforms } from './migrate.js';
import type { ByteSource, LineSpan } from './scan/bytes.js';
import type { Header } from './scan/header.js';
import { LONGEST_LINE_BYTES } from './scan/parse.js';
import type { Scan } from './scan/scan.js';
import { scan, type ScanOptions } from './scan/scanning.js';
import { type Head, type RawId, SOMEWHERE, usageIn } from './table/head.js';
import { problemsOfTree, type Tree, treeOf } from './tree/tree.js';

/** A session file that was read: its tree is known, its entries are parsed on demand. */
export interface Session {
  /** The file as it was passed, `-` for standard input. */
  readonly file: string;
  readonly header: Header;
  readonly scan: Scan;
  readonly tree: Tree;
  /** All problems of lines and links, in file order. */
  readonly problems: readonly Problem[];
  /** Every line is parsed, to check the shortcuts. */
  readonly isStrict: boolean;
  /** The file. */
  readonly source: ByteSource;
  /** The agent that wrote the file, if it is not Pi. */
  readonly foreign?: ForeignOrigin;
  /** The id of the session from which another agent copied an entry with a new id; null if it did not. */
  copiedFrom?(index: number): string | null;
  /** Whether the `timestamp` of every message is the time of its head. */
  readonly hasMessageTimes?: boolean;
  /** One entry, migrated to version 3. An empty object for a line that is JSON but not an object. */
  entry(head: Head): JsonObject;
  /** The line of an entry as stored, or its lines in the file of another agent, including newlines. A piece is valid until the next one is requested. */
  bytes(head: LineSpan): Generator<Uint8Array>;
  /** The `usage` that a provider reported with an entry, read without the rest of its line if possible. */
  usage(head: Head): JsonObject | null;
}

/** Reads a session of any version. Throws a CtxError (input) only if no session header comes first. */
export function readSession(source: ByteSource, file: string, reading: ScanOptions = {}): Session {
  return sessionOf(scan(source, file, reading), source, file);
}

export function sessionOf(scanned: Scan, source: ByteSource, file: string): Session {
  const readLine = remembering(LONG_LINE_BYTES, (head: Head) => parseObject(source, head, file));
  if (scanned.header.version >= 3) retypeTransforms(scanned.heads, source, readLine);
  const { heads, entry } = migrate(scanned, readLine);
  const tree = treeOf(heads);
  // The links of a partial file may lead to lines that were not read.
  const ofTree = scanned.isWhole ? problemsOfTree(tree, scanned.header.id) : [];
  const problems = [...scanned.problems, ...ofTree].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return {
    file,
    header: scanned.header,
    scan: scanned,
    tree,
    problems,
    isStrict: source.isStrict ?? false,
    source,
    entry: (head) => entry(head, readLine(head)),
    bytes: (head) => piecesOf(source, head),
    usage(head) {
      if (head.usageLength === 0) return null;
      if (head.usageStart === SOMEWHERE) return usageIn(readLine(head));
      const { line, offset, usageStart, usageLength } = head;
      return parseObject(source, { line, offset: offset + usageStart, length: usageLength }, file);
    },
  };
}

/** The length from which a line takes so long to parse that its value is kept until the next long line. */
const LONG_LINE_BYTES = 16e6;

/** Keeps the value of a line of at least `least` bytes until the next one. */
export function remembering<Line extends LineSpan>(
  least: number,
  read: (line: Line) => JsonObject,
): (line: Line) => JsonObject {
  let known: { readonly offset: number; readonly value: JsonObject } | null = null;
  return (line) => {
    if (line.length < least) return read(line);
    if (known?.offset !== line.offset) {
      known = null;
      known = { offset: line.offset, value: read(line) };
    }
    return known.value;
  };
}

/** A session that parses each entry once, as long as the lines of those that it keeps have at most `most` bytes. */
export function keepingEntries<Read extends Session>(session: Read, most: number): Read {
  const kept = new Map<number, JsonObject>();
  let bytes = 0;
  const entry = (head: Head): JsonObject => {
    const known = kept.get(head.index);
    if (known) return known;
    const value = session.entry(head);
    bytes += head.length;
    if (bytes < most) kept.set(head.index, value);
    return value;
  };
  return { ...session, entry };
}

/** The size of pieces that a source reads into its own memory. */
const PIECE_BYTES = 1 << 18;

/** Reads a range of a source in pieces, each of them valid until the next one is requested. */
export function* piecesOf(source: ByteSource, { offset, length }: LineSpan): Generator<Uint8Array> {
  const end = offset + length;
  for (let start = offset; start < end; start += PIECE_BYTES) {
    yield source.read(start, Math.min(start + PIECE_BYTES, end));
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function parseObject(source: ByteSource, { offset, length, line }: LineSpan, file: string): JsonObject {
  if (length > LONGEST_LINE_BYTES) return {};
  const text = decoder.decode(source.read(offset, offset + length));
  try {
    const value: unknown = JSON.parse(text);
    return asObject(value);
  } catch {
    const where = `${file}:${line}`;
    throw new CtxError('input', 'the file changed while it was being read', { where, hint: 'run the command again' });
  }
}

/** The number of problems that are damage: notes do not count. */
export function countDamage({ problems }: Session): number {
  return problems.filter(({ severity }) => severity !== 'note').length;
}

/** The session's name: the last `session_info` of the file, which may clear it. */
export function nameOf(session: Session): string | null {
  const info = [...session.tree.heads.ofType('session_info')].at(-1);
  const name = info && session.entry(info)['name'];
  return (typeof name === 'string' && name.trim()) || null;
}

/** The labels in force by target id: the last label entry of the file wins, an empty one clears the label. */
export function labelsOf(session: Session): ReadonlyMap<unknown, string> {
  const labels = new Map<unknown, string>();
  for (const head of session.tree.heads.ofType('label')) {
    if (head.target === undefined) continue;
    const label = session.entry(head)['label'];
    if (typeof label === 'string' && label !== '') labels.set(head.target, label);
    else labels.delete(head.target);
  }
  return labels;
}

/** Labels by the index of their entry, for entries that are in the file. */
export function labelsByIndex(session: Session): ReadonlyMap<number, string> {
  const labels = new Map<number, string>();
  for (const [id, label] of labelsOf(session)) {
    // Labels are stored under the ids as entries write them.
    const head = session.tree.heads.find(id as RawId);
    if (head) labels.set(head.index, label);
  }
  return labels;
}

/**
 * The recorded cost of a session, in dollars; null if no entry records one. Every branch was billed,
 * so every entry counts.
 */
export function costOf(session: Session): number | null {
  let sum: number | null = null;
  for (const head of session.tree.heads) {
    if (head.usageLength === 0) continue;
    const cost = session.usage(head)?.['cost'];
    const total = isObject(cost) ? asCount(cost['total']) : null;
    if (total !== null) sum = (sum ?? 0) + total;
  }
  return sum;
}
