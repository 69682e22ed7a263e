import { isObject, type JsonObject } from '#base/json.js';
import { unwrapTransform } from './carried-entries.js';
import { copyHead, type Head, type NewHead, type RawId } from './heads/head.js';
import { Heads } from './heads/heads.js';
import { buildLineId } from './line-ids.js';
import type { Scan } from './scan/scan.js';

/** The entries of a file of any version in version 3. Nothing is written. */
export interface Migration {
  /** The heads in file order, with the ids and parents that version 1 lacks. */
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
  if (version < 2) return migrateVersion1(scan, read);
  if (version < 3)
    return { heads: Heads.from(Array.from(scan.heads, renameRole)), entry: (_head, line) => renameHookMessage(line) };
  return { heads: scan.heads, entry: (_head, line) => unwrapTransform(line) };
}

/** v1 is a list: every entry gets a new id and follows the previous one, whatever its own fields say. */
function migrateVersion1(scan: Scan, read: (head: Head) => JsonObject): Migration {
  const ids = Array.from(scan.heads, ({ line }) => buildLineId(scan.header.id, line));
  const kept = listKeptLines(scan, ids);
  const heads = Array.from(scan.heads, (head): NewHead => {
    const moved = { ...renameRole(head), id: ids[head.index], parentId: head.index === 0 ? null : ids[head.index - 1] };
    return head.type === 'compaction' ? { ...moved, target: findFirstKept(head, read(head), kept) } : moved;
  });
  return {
    heads: Heads.from(heads),
    entry(head, line) {
      const { firstKeptEntryIndex, ...rest } = renameHookMessage(line);
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
function listKeptLines(scan: Scan, ids: readonly string[]): readonly KeptLine[] {
  const headers = [scan.headerSpan, ...scan.repeatedHeaders].map(({ line }) => ({ line, id: null }));
  const entries = Array.from(scan.heads, ({ line, index }) => ({ line, id: ids[index] }));
  return [...headers, ...entries].toSorted((a, b) => a.line - b.line);
}

/**
 * Pi looks up the index while it assigns ids: a header has none, and a later entry has none yet.
 */
function findFirstKept(head: Head, line: JsonObject, kept: readonly KeptLine[]): RawId {
  const index = line.firstKeptEntryIndex;
  if (typeof index !== 'number') return head.target;
  const target = kept[index];
  if (!target || target.id === null) return head.target;
  return target.line <= head.line ? target.id : undefined;
}

function renameRole(head: NewHead): NewHead {
  return head.role === 'hookMessage' ? { ...copyHead(head), role: 'custom' } : copyHead(head);
}

function renameHookMessage(line: JsonObject): JsonObject {
  const message = line.message;
  if (line.type !== 'message' || !isObject(message) || message.role !== 'hookMessage') return line;
  return { ...line, message: { ...message, role: 'custom' } };
}
