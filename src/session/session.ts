import { CtxError, type Problem } from '#base/errors.js';
import { asObject, type JsonObject } from '#base/json.js';
import type { AgentOrigin, Notice } from './agents/define.js';
import type { Entry } from './entry.js';
import { findUsage, type Head, type RawId, UNKNOWN_PLACE } from './heads/head.js';
import { markLocalAnswers } from './local-answers.js';
import { migrateHeads, retypeTransforms } from './migrate.js';
import { type ByteSource, findLineStart, findNewlines, type LineSpan, readLines } from './scan/bytes.js';
import type { Header } from './scan/header.js';
import {
  IncrementalScan,
  type ScanOptions,
  scanRecords,
  scanSession,
  type ScanStart,
} from './scan/incremental-scan.js';
import { buildUnverifiedRecord } from './scan/line-scanner.js';
import { LONGEST_LINE_BYTES } from './scan/parse.js';
import type { Scan } from './scan/scan.js';
import { buildTree, listTreeProblems, type Tree } from './tree/tree.js';

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
  readonly agent?: AgentOrigin;
  /** The id of the session from which another agent copied an entry; null if it did not. */
  copiedFrom?(index: number): string | null;
  /** Whether the `timestamp` of every message is the time of its head. */
  readonly hasMessageTimes?: boolean;
  /**
   * The circumstances of the request between two answers that another agent records beside its messages. `first`: an entry
   * up to which earlier ones still count.
   */
  notices?(first: Head, before: Head, now: Head): readonly Notice[];
  /** One entry, migrated to version 3. An empty object for a line that is JSON but not an object. */
  entry(head: Head): Entry;
  /** The line of an entry as stored, or its lines in the file of another agent, including newlines. A piece is valid until the next one is requested. */
  bytes(head: LineSpan): Generator<Uint8Array>;
  /** The `usage` that a provider reported with an entry, read without the rest of its line if possible. */
  usage(head: Head): JsonObject | null;
}

/** Reads a session of any version. Throws a CtxError (input) only if no session header comes first. */
export function readSession(source: ByteSource, file: string, reading: ScanOptions = {}): Session {
  return buildSession(scanSession(source, file, reading), source, file);
}

/** The size of the first read, and the factor by which it grows when it was not enough. */
const FIRST_BYTES = 1 << 21;
const GROWTH = 4;
const BLOCK_BYTES = 1 << 20;
/** The size of the beginning in which the header is searched; if it comes later, everything is read. */
const HEADER_BYTES = 1 << 16;

/**
 * Reads only the last lines of a session, until `isEnough` is satisfied, or the whole of it if they are not
 * sufficient. The tree ends at parents before these lines, and only problems of these lines are known.
 * A later line of the same id wins, so earlier lines cannot change the result.
 */
export function readTail(source: ByteSource, file: string, isEnough: (tail: Session) => boolean): Session {
  const top = source.isStrict ? null : readTop(source, file);
  // Version 1 counts its entries from the beginning.
  if (top === null || !(top.version >= 2)) return readSession(source, file);
  let above: { readonly offset: number; readonly lines: number } | null = null;
  for (let size = FIRST_BYTES; size < source.size - top.end; size *= GROWTH) {
    const offset = findLineStart(source, source.size - size) ?? source.size;
    const lines: number = above
      ? above.lines - countLines(source, offset, above.offset)
      : countLines(source, 0, offset);
    above = { offset, lines };
    const tail = sessionFrom(source, file, { offset, line: lines + 1, first: top.first });
    if (tail.tree.leaf && isEnough(tail)) return tail;
  }
  return readSession(source, file);
}

function sessionFrom(source: ByteSource, file: string, beginning: ScanStart): Session {
  const scanning = new IncrementalScan(source, file, beginning);
  for (const records of scanRecords(source, beginning.offset, source.size)) scanning.take(records);
  scanning.takeTail();
  return buildSession(scanning.result(), source, file);
}

interface Top {
  readonly first: ScanStart['first'];
  readonly version: number;
  readonly end: number;
}

/** null if anything except titles precedes the header. */
function readTop(source: ByteSource, file: string): Top | null {
  const size = Math.min(HEADER_BYTES, source.size);
  const scanning = new IncrementalScan({ ...source, size }, file);
  for (const { length, terminated } of readLines(source, 0, size)) {
    if (!terminated) return null;
    scanning.take(buildUnverifiedRecord(length));
    if (scanning.hasHeader) break;
  }
  if (!scanning.hasHeader) return null;
  const { header, headerSpan, titles } = scanning.result();
  if (headerSpan.line !== titles.length + 1) return null;
  return { first: { header, headerSpan }, version: header.version, end: scanning.end };
}

function countLines(source: ByteSource, from: number, to: number): number {
  let lines = 0;
  const block = new Uint8Array(BLOCK_BYTES);
  for (let at = from; at < to; at += BLOCK_BYTES) {
    const part = block.subarray(0, Math.min(BLOCK_BYTES, to - at));
    source.readInto(part, at);
    lines += findNewlines(part).length;
  }
  return lines;
}

export function buildSession(scanned: Scan, source: ByteSource, file: string): Session {
  const readLine = memoizeLongLine(LONG_LINE_BYTES, (head: Head) => parseObject(source, head, file));
  if (scanned.header.version >= 3) retypeTransforms(scanned.heads, source, readLine);
  markLocalAnswers(scanned.heads, source, readLine);
  const { heads, entry } = migrateHeads(scanned, readLine);
  const tree = buildTree(heads);
  // The links of a partial file may lead to lines that were not read.
  const ofTree = scanned.isWhole ? listTreeProblems(tree, scanned.header.id) : [];
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
    bytes: (head) => readInPieces(source, head),
    usage(head) {
      if (head.usageLength === 0) return null;
      if (head.usageStart === UNKNOWN_PLACE) return findUsage(readLine(head));
      const { line, offset, usageStart, usageLength } = head;
      return parseObject(source, { line, offset: offset + usageStart, length: usageLength }, file);
    },
  };
}

/** The length from which a line takes so long to parse that its value is kept until the next long line. */
const LONG_LINE_BYTES = 16e6;

/** Keeps the value of a line of at least `least` bytes until the next one. */
export function memoizeLongLine<Line extends LineSpan>(
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
export function cacheEntries<Read extends Session>(session: Read, most: number): Read {
  const kept = new Map<number, Entry>();
  let bytes = 0;
  const entry = (head: Head): Entry => {
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
export function* readInPieces(source: ByteSource, { offset, length }: LineSpan): Generator<Uint8Array> {
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
export function indexLabels(session: Session): ReadonlyMap<number, string> {
  const labels = new Map<number, string>();
  for (const [id, label] of labelsOf(session)) {
    // Labels are stored under the ids as entries write them.
    const head = session.tree.heads.find(id as RawId);
    if (head) labels.set(head.index, label);
  }
  return labels;
}
