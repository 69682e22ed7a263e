import { Buffer } from 'node:buffer';
import escapeStringRegexp from 'escape-string-regexp';
import { type JsonObject, parseJson } from '#base/json.js';
import type { AgentRecord, NativeRecords } from './native-records.js';

/** A record that is written: changed, or with its bytes as characters, one for one. */
export interface WrittenRecord {
  readonly value: JsonObject;
  /** null: the value is written. Bytes that are no UTF-8 stay what they are. */
  readonly raw: string | null;
}

/** Returns a record that is written unchanged. */
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
 * Replaces the text of a member wherever it occurs in a record, and leaves every other byte as it is. The names and
 * texts are ASCII.
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
