import { Buffer } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { type Head, UNKNOWN_PLACE } from '../heads/head.js';
import type { Session } from '../session.js';
import { readFlag } from './line-scanner.js';

/** An entry with the fields of its message that follow the content. */
interface AnswerEnd extends JsonObject {
  readonly message: JsonObject;
}

const BEFORE_BYTES = 512;
const MOST_BYTES = 1 << 16;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Reads the provider, model, response model and usage of an answer without its content, which Pi writes before them.
 * The value has the form of the entry, but may lack other fields. Null if the line is not in that form. The line
 * scanner confirmed the line: it is JSON, and no key of the message is repeated or has an escaped letter.
 */
export function readAnswerEnd(session: Session, head: Head): AnswerEnd | null {
  const { offset, length, usageStart, usageLength, role } = head;
  const isPlain = !session.isStrict && !session.agent && usageStart !== UNKNOWN_PLACE;
  if (!isPlain || role !== 'assistant' || length - usageStart > MOST_BYTES) return null;
  const from = Math.max(0, usageStart - BEFORE_BYTES);
  const hasResponseModel = readFlag.hasResponseModel(session.tree.heads.flagsAt(head.index)) === 1;
  // Pi appends the response model to a finished answer.
  const end = hasResponseModel ? length : usageStart + usageLength;
  const { buffer, byteOffset } = session.source.read(offset + from, offset + end);
  const message = parseEnd(Buffer.from(buffer, byteOffset, end - from), usageStart - from, hasResponseModel);
  return message && isWhole(message, hasResponseModel) ? { message } : null;
}

/** A key that is not listed could come before the content. */
function isWhole(message: JsonObject, hasResponseModel: boolean): boolean {
  return 'provider' in message && 'model' in message && (!hasResponseModel || 'responseModel' in message);
}

/**
 * The usage at `at` with the fields around it. Null if the file has changed, which the reader of whole lines reports.
 */
function parseEnd(bytes: Buffer, at: number, hasMore: boolean): JsonObject | null {
  const start = findFieldStart(bytes, at);
  if (start === null) return null;
  try {
    if (hasMore) return (JSON.parse(`{"message":{${bytes.toString('utf8', start)}`) as AnswerEnd).message;
    return { ...parseFieldsBefore(bytes.toString('utf8', start, at)), usage: JSON.parse(bytes.toString('utf8', at)) };
  } catch {
    return null;
  }
}

/** The fields before a value, with its own key. Most answers of a session have the same. */
const parseFieldsBefore = memoizeLast((text: string) => JSON.parse(`{${text}0}`) as JsonObject);

/**
 * The start of the fields with a plain value that directly precede the value at `at`, with its own key; null if there
 * is white space.
 */
function findFieldStart(bytes: Buffer, at: number): number | null {
  let start = findKeyStart(bytes, at);
  while (start !== null && bytes[start - 1] === COMMA) {
    const value = bytes[start - 2] === QUOTE ? findOpeningQuote(bytes, start - 2) : findScalarStart(bytes, start - 1);
    const key = value === null ? null : findKeyStart(bytes, value);
    if (key === null) break;
    start = key;
  }
  return start;
}

/** The start of the key of a value; null if no key directly precedes it. */
function findKeyStart(bytes: Buffer, value: number): number | null {
  return bytes[value - 1] === COLON && bytes[value - 2] === QUOTE ? findOpeningQuote(bytes, value - 2) : null;
}

/** A quote belongs to a text only if it is escaped. */
function findOpeningQuote(bytes: Buffer, closing: number): number | null {
  for (let at = bytes.lastIndexOf(QUOTE, closing - 1); at > 0; at = bytes.lastIndexOf(QUOTE, at - 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    // More of them could precede these bytes.
    if (slashes === at) return null;
    if (slashes % 2 === 0) return at;
  }
  return null;
}

const SCALAR = /[-+.\w]/;

/** The start of a number, true, false or null. */
function findScalarStart(bytes: Buffer, end: number): number {
  let start = end;
  while (SCALAR.test(String.fromCharCode(bytes[start - 1] ?? 0))) start -= 1;
  return start;
}
