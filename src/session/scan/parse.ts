import { Buffer, isUtf8 } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { Session } from '../session.js';
import type { ByteSource, RawLine } from './bytes.js';

/** The maximum length of a string in V8; UTF-8 never decodes to more code units than bytes. */
export const LONGEST_LINE_BYTES = 2 ** 29 - 24;

/** The content of one line. A damaged line keeps its text, to detect the kind of damage. */
export type ParsedLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'value'; readonly value: unknown; readonly validUtf8: boolean }
  | { readonly kind: 'damaged'; readonly text: string }
  | { readonly kind: 'too-long' };

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads a line as Pi does: invalid UTF-8 becomes U+FFFD, white space alone is blank, the rest is JSON or damage. */
export function parseLine(source: ByteSource, line: RawLine): ParsedLine {
  if (line.length > LONGEST_LINE_BYTES) return { kind: 'too-long' };
  const bytes = source.read(line.offset, line.offset + line.length);
  const text = decoder.decode(bytes);
  if (text.trim() === '') return { kind: 'blank' };
  try {
    return { kind: 'value', value: JSON.parse(text), validUtf8: !text.includes('\ufffd') || isUtf8(bytes) };
  } catch {
    return { kind: 'damaged', text };
  }
}

const BEGINNING =
  /^\{"type":"compaction","id":"[0-9a-f]{8}","parentId":"[0-9a-f]{8}","timestamp":"[^"\\]{24}","summary":"/;
const BEHIND_SUMMARY = /^","firstKeptEntryId":"[0-9a-f]{8}","tokensBefore":(0|[1-9]\d{0,14})[,}]/;
const MOST_BYTES = 1 << 18;
const BEGINNING_BYTES = 200;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

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
  const rest = line.toString('latin1', endOfString(line, beginning[0].length));
  const said = BEHIND_SUMMARY.exec(rest);
  // A key with escapes, or a repeated one, counts too.
  const saysMore =
    rest.includes('"systemMessage"') || rest.includes('\\u') || rest.includes('"tokensBefore"', said?.[0].length);
  return said && !saysMore ? { tokensBefore: Number(said[1]) } : null;
}

/** The position of the quote that ends the string whose content begins at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = json.indexOf(QUOTE, start); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}

/** JSON.stringify fails at about 7,000 levels, and no provider accepts a hundredth of them. */
const MOST_LEVELS = 5000;

/**
 * Throws a CtxError (input) for the first entry of a path that is nested too deeply to be serialised. Work that
 * copies messages repeatedly checks this first, to avoid minutes of work before the same error.
 */
export function refuseTooDeep({ source, file }: Session, path: readonly Head[]): void {
  const deep = path.find(
    ({ offset, length }) => length > 2 * MOST_LEVELS && isTooDeep(source.read(offset, offset + length)),
  );
  if (!deep) return;
  throw new CtxError('input', 'the data is nested too deeply', {
    where: `${file}:${deep.line}`,
    hint: 'reduce the nesting; no provider would accept the data',
  });
}

/** With one bit masked, `[` (5b) and `{` (7b) are the same byte, and so are `]` (5d) and `}` (7d). */
const OPENING = 0x5b;
const CLOSING = 0x5d;
const EITHER = 0xdf;

function isTooDeep(json: Uint8Array): boolean {
  let levels = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if ((byte & EITHER) === OPENING) levels += 1;
    else if ((byte & EITHER) === CLOSING) levels -= 1;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}
