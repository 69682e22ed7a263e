import { Buffer } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { Session } from '../session.js';
import { findStringEnd } from './json-strings.js';

const BEGINNING =
  /^\{"type":"compaction","id":"[0-9a-f]{8}","parentId":"[0-9a-f]{8}","timestamp":"[^"\\]{24}","summary":"/;
const BEHIND_SUMMARY = /^","firstKeptEntryId":"[0-9a-f]{8}","tokensBefore":(0|[1-9]\d{0,14})[,}]/;
const MOST_BYTES = 1 << 18;
const BEGINNING_BYTES = 200;

/**
 * Reads `{tokensBefore}` of a compaction without decoding its summary, which is long: most compactions are
 * replaced by a newer one. Null if the line is not in Pi's format, or has other fields that affect
 * the context: then it must be parsed.
 */
export function readTokensBefore({ source, isStrict }: Session, { offset, length }: Head): JsonObject | null {
  if (isStrict || length > MOST_BYTES) return null;
  const { buffer, byteOffset } = source.read(offset, offset + length);
  const line = Buffer.from(buffer, byteOffset, length);
  const beginning = BEGINNING.exec(line.toString('latin1', 0, BEGINNING_BYTES));
  if (!beginning) return null;
  const rest = line.toString('latin1', findStringEnd(line, beginning[0].length));
  const match = BEHIND_SUMMARY.exec(rest);
  // A key with escapes, or a repeated one, counts too.
  const saysMore =
    rest.includes('"systemMessage"') || rest.includes('\\u') || rest.includes('"tokensBefore"', match?.[0].length);
  return match && !saysMore ? { tokensBefore: Number(match[1]) } : null;
}
