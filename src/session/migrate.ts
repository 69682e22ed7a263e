import { asObject, isObject, type JsonObject } from '#base/json.js';
import { copyHead, type Head, type NewHead, type RawId } from './heads/head.js';
import { Heads } from './heads/heads.js';
import type { ByteSource } from './scan/bytes.js';
import type { Scan } from './scan/scan.js';

/** The entries of a file of any version in version 3. Nothing is written. */
export interface Migration {
  /** In file order, with the ids and parents that version 1 lacks. */
  readonly heads: Heads;
  /** Migrates the parsed line of one of these heads to version 3. */
  entry(head: Head, line: JsonObject): JsonObject;
}

/**
 * Migrates as Pi does on load, but with ids that are identical in every read of a file.
 * `read` returns the line of a head as stored; only v1 compactions are read.
 */
export function migrateHeads(scan: Scan, read: (head: Head) => JsonObject): Migration {
  const { version } = scan.header;
  if (version < 2) return fromVersion1(scan, read);
  if (version < 3)
    return { heads: Heads.from(Array.from(scan.heads, renamed)), entry: (_head, line) => withoutHookMessage(line) };
  return { heads: scan.heads, entry: (_head, line) => unwrapTransform(line) };
}

/** v1 is a list: every entry gets a new id and follows the previous one, whatever its own fields say. */
function fromVersion1(scan: Scan, read: (head: Head) => JsonObject): Migration {
  const ids = Array.from(scan.heads, ({ line }) => buildLineId(scan.header.id, line));
  const kept = keptLines(scan, ids);
  const heads = Array.from(scan.heads, (head): NewHead => {
    const moved = { ...renamed(head), id: ids[head.index], parentId: head.index === 0 ? null : ids[head.index - 1] };
    return head.type === 'compaction' ? { ...moved, target: firstKept(head, read(head), kept) } : moved;
  });
  return {
    heads: Heads.from(heads),
    entry(head, line) {
      const { firstKeptEntryIndex, ...rest } = withoutHookMessage(line);
      const entry = { ...rest, id: head.id, parentId: head.parentId };
      if (head.type === 'compaction') return { ...entry, firstKeptEntryId: head.target };
      return firstKeptEntryIndex === undefined ? entry : { ...entry, firstKeptEntryIndex };
    },
  };
}

interface KeptLine {
  readonly line: number;
  /** null for a session header. */
  readonly id: RawId;
}

/** The lines that `firstKeptEntryIndex` counts: headers and entries in file order, without blank and damaged lines. */
function keptLines(scan: Scan, ids: readonly string[]): readonly KeptLine[] {
  const headers = [scan.headerSpan, ...scan.repeatedHeaders].map(({ line }) => ({ line, id: null }));
  const entries = Array.from(scan.heads, ({ line, index }) => ({ line, id: ids[index] }));
  return [...headers, ...entries].toSorted((a, b) => a.line - b.line);
}

/**
 * Pi looks up the index while it assigns ids: a header has none, and a later entry has none yet.
 */
function firstKept(head: Head, line: JsonObject, kept: readonly KeptLine[]): RawId {
  const index = line['firstKeptEntryIndex'];
  if (typeof index !== 'number') return head.target;
  const target = kept[index];
  if (!target || target.id === null) return head.target;
  return target.line <= head.line ? target.id : undefined;
}

function renamed(head: NewHead): NewHead {
  return head.role === 'hookMessage' ? { ...copyHead(head), role: 'custom' } : copyHead(head);
}

function withoutHookMessage(line: JsonObject): JsonObject {
  const message = line['message'];
  if (line['type'] !== 'message' || !isObject(message) || message['role'] !== 'hookMessage') return line;
  return { ...line, message: { ...message, role: 'custom' } };
}

/** Eight hex digits, unique for every line of a session: an odd multiplier permutes the 32 bit numbers. */
export function buildLineId(sessionId: string, line: number): string {
  return buildLineHash(sessionId)(line).toString(16).padStart(8, '0');
}

/** The values of the hex digits of such ids, by their lines. */
export function buildLineHash(sessionId: string): (line: number) => number {
  const hash = hash32(sessionId);
  return (line) => (Math.imul(line, 0x9e3779b1) + hash) >>> 0;
}

/** FNV-1a over UTF-16 code units. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The types of entries that stock Pi does not have, and that an extension can append only as `custom` entries. */
const CARRIED = ['context_transform', 'ephemeral'] as const;

/** An entry, or the entry in its `data`: a `custom` entry carries the type that is its `customType`. */
export function unwrapTransform(entry: JsonObject): JsonObject {
  const type = entry['type'] === 'custom' ? CARRIED.find((name) => name === entry['customType']) : undefined;
  if (type === undefined) return entry;
  const { customType: _customType, data, ...place } = entry;
  return { ...asObject(data), ...place, type };
}

/** Gives the heads of such entries the type that they carry. `read` returns a line as stored. */
export function retypeTransforms(heads: Heads, source: ByteSource, read: (head: Head) => JsonObject): void {
  for (const head of heads.ofType('custom')) {
    if (!mayCarry(source, head)) continue;
    const { type } = unwrapTransform(read(head));
    if (typeof type === 'string' && type !== 'custom') heads.setType(head.index, type);
  }
}

/** As Pi writes a `custom` entry: most have another type, so their lines are not parsed. */
const BEGINNING = '{"type":"custom","customType":"';

function mayCarry(source: ByteSource, { offset, length }: Head): boolean {
  const bytes = source.read(offset, offset + Math.min(length, BEGINNING.length + MOST));
  const text = Buffer.from(bytes).toString('latin1');
  return !text.startsWith(BEGINNING) || CARRIED.some((type) => text.startsWith(`${BEGINNING}${type}"`));
}

const MOST = Math.max(...CARRIED.map(({ length }) => length)) + 1;
