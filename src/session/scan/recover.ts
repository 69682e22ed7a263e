import { Buffer } from 'node:buffer';
import { isObject, type JsonObject, parseJson } from '#base/json.js';

/** A part of a damaged line: an object that can be read, or bytes that cannot; positions are within the line. */
export interface RecoveredPart {
  readonly start: number;
  readonly end: number;
  /** null for lost bytes. */
  readonly value: JsonObject | null;
}

const OPENING = 0x7b;
const CLOSING = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUL = 0;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Finds objects in damaged lines: several on one line, or one after NUL bytes, a byte order mark or the beginning of
 * another.
 */
export class LineRecovery {
  /** Limits the bytes that are looked at in a hostile file. */
  private bytesLeft: number;

  constructor(size: number) {
    this.bytesLeft = 4 * size + (1 << 20);
  }

  /** The parts of a line, in their order, which are all of its bytes; null if it has no object that can be read. */
  partsOf(line: Uint8Array): readonly RecoveredPart[] | null {
    const mark = hasByteOrderMark(line) ? BOM.length : 0;
    const first = skipBlanks(line, mark);
    // A line in the middle of an entry begins otherwise.
    if (line[first] !== OPENING && line[first] !== NUL) return null;
    const parts: RecoveredPart[] = [];
    let lost = 0;
    for (let at = line.indexOf(OPENING, first); at !== -1 && this.bytesLeft > 0;) {
      const end = this.endOfObject(line, at);
      const next = end === -1 ? -1 : skipBlanks(line, end);
      // An object inside of another one is followed by a comma or a bracket.
      const isWhole = end !== -1 && (next === line.length || line[next] === OPENING || line[next] === NUL);
      const value = isWhole ? parsePart(line, at, end) : null;
      if (value === null || (at !== first && !isRecord(value))) {
        at = line.indexOf(OPENING, at + 1);
        continue;
      }
      if (lost < at) parts.push({ start: lost, end: at, value: null });
      parts.push({ start: at, end: next, value });
      lost = next;
      at = line.indexOf(OPENING, next);
    }
    if (parts.length === 0) return null;
    if (lost < line.length) parts.push({ start: lost, end: line.length, value: null });
    return parts;
  }

  /** The position after the object that begins at a position; -1 if it does not end. */
  private endOfObject(line: Uint8Array, start: number): number {
    let depth = 0;
    for (let at = start; at < line.length; at += 1) {
      const byte = line[at];
      if (byte === QUOTE) at = findTextEnd(line, at);
      else if (byte === OPENING) depth += 1;
      else if (byte === CLOSING) depth -= 1;
      if (depth === 0) {
        this.bytesLeft -= at - start;
        return at + 1;
      }
    }
    this.bytesLeft -= line.length - start;
    return -1;
  }
}

/** Whether a line begins with a byte order mark. */
export function hasByteOrderMark(line: Uint8Array): boolean {
  return BOM.every((byte, at) => line[at] === byte);
}

/** Whether bytes are nothing but NUL bytes, white space or a byte order mark. */
export function isBlankBytes(bytes: Uint8Array): boolean {
  const rest = hasByteOrderMark(bytes) ? bytes.subarray(BOM.length) : bytes;
  return rest.every((byte) => byte === NUL || BLANKS.has(byte));
}

/** The position of the quote that ends a text. */
function findTextEnd(line: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The position after white space. */
function skipBlanks(line: Uint8Array, start: number): number {
  let at = start;
  while (BLANKS.has(line[at] ?? 0)) at += 1;
  return at;
}

const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

function parsePart(line: Uint8Array, start: number, end: number): JsonObject | null {
  const { buffer, byteOffset } = line;
  const value = parseJson(Buffer.from(buffer, byteOffset + start, end - start).toString('utf8'));
  return isObject(value) ? value : null;
}

/** Whether an object is a line of a session file, not a part of one whose beginning is lost. */
function isRecord(value: JsonObject): boolean {
  const { type, kind, role, message } = value;
  if (typeof kind === 'number') return 'k' in value || 'v' in value;
  if (type === undefined) return typeof role === 'string' && isObject(message);
  return typeof type === 'string' && RECORD_KEYS.some((key) => key in value);
}

const RECORD_KEYS = ['uuid', 'sessionId', 'timestamp', 'payload', 'agentId'];
