import { Buffer } from 'node:buffer';
import escapeStringRegexp from 'escape-string-regexp';
import { type JsonObject, parseJson } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { ByteSource } from '../scan/byte-source.js';
import type { LineSpan } from '../scan/lines.js';
import type { CopiedSession, CopyChanges } from './copy.js';
import type { AgentRecord } from './define.js';

/** The records of an agent's file, and the entries that `ctx` builds from them. */
export interface NativeRecords {
  readonly source: ByteSource;
  /** All records, in the order of the file. Damage and blanks are left out. */
  all(): Iterable<AgentRecord>;
  /** The records of an entry, at least one. */
  of(head: Head): readonly LineSpan[];
  valueAt(span: LineSpan): JsonObject;
}

/** Returns where the last record of an entry begins; Infinity for null, the end of the file. */
export function findEnd({ of }: NativeRecords, end: Head | null): number {
  return end === null ? Infinity : Math.max(...of(end).map(({ offset }) => offset));
}

/**
 * Returns where the first record begins that a copy changes, or keeps after a new compaction; Infinity if there is none.
 * The tokens that are recorded from there on are those of another context.
 */
export function findFirstChange(
  { path, native }: CopiedSession,
  { dropped, replaced, answered, undone, compaction }: CopyChanges,
): number {
  const changed = new Set([...dropped, ...replaced.keys(), ...answered.keys(), ...undone, compaction?.firstKept]);
  const first = path.find(({ index }) => changed.has(index));
  return first ? Math.min(...native.of(first).map(({ offset }) => offset)) : Infinity;
}

/** Lists the records of the entries of a path from one of them on, each once, as values. */
export function listRecordsFrom(
  { of, valueAt }: NativeRecords,
  path: readonly Head[],
  firstIndex: number,
): readonly JsonObject[] {
  const start = path.findIndex(({ index }) => index === firstIndex);
  const spans = path.slice(start).flatMap((head) => of(head));
  return [...new Map(spans.map((span) => [span.offset, span])).values()].map(valueAt);
}

/** A record that is written: changed, or with its bytes as characters, one for one. */
export interface WrittenRecord {
  readonly value: JsonObject;
  /** null: the value is written. Bytes that are no UTF-8 stay what they are. */
  readonly raw: string | null;
}

/** Returns a record that is written as it is stored. */
export function keepRecord({ source }: NativeRecords, record: AgentRecord): WrittenRecord {
  const bytes = Buffer.from(source.read(record.offset, record.offset + record.length));
  return { value: record.value, raw: bytes.toString('latin1').trim() };
}

/** The value of JSON whose bytes are characters, one for one; undefined for other text. */
export function parseCharacters(raw: string): unknown {
  return parseJson(Buffer.from(raw, 'latin1').toString('utf8'));
}

/** Returns the bytes of a record, with its newline. */
export function encodeRecord({ value, raw }: WrittenRecord): Uint8Array {
  return raw === null ? Buffer.from(`${JSON.stringify(value)}\n`, 'utf8') : Buffer.from(`${raw}\n`, 'latin1');
}

/**
 * Replaces the text of a member wherever it occurs in a record, and leaves every other byte as it is. The names and texts
 * are ASCII.
 */
export function replaceMember(record: WrittenRecord, name: string, from: string, to: string | null): WrittenRecord {
  const json = record.raw ?? JSON.stringify(record.value);
  // Quotes within texts are escaped, so that only members match.
  const member = new RegExp(`("${name}"\\s*:\\s*)${escapeStringRegexp(JSON.stringify(from))}`, 'g');
  const replaced = json.replaceAll(member, (_all, key: string) => `${key}${JSON.stringify(to)}`);
  return withJson(record, replaced);
}

/** Adds a member at the end of a record. */
export function appendMember(record: WrittenRecord, name: string, value: JsonObject): WrittenRecord {
  const json = record.raw ?? JSON.stringify(record.value);
  const end = json.lastIndexOf('}');
  return withJson(record, `${json.slice(0, end)},${JSON.stringify(name)}:${JSON.stringify(value)}${json.slice(end)}`);
}

function withJson({ raw }: WrittenRecord, json: string): WrittenRecord {
  const text = raw === null ? json : Buffer.from(json, 'latin1').toString('utf8');
  return { value: JSON.parse(text) as JsonObject, raw: raw === null ? null : json };
}
