import { Buffer } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import { isObject, parseJson } from '#base/json.js';
import { type ByteSource } from '#session/scan/byte-source.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import { type RawLine, readLines } from '#session/scan/lines.js';
import { LONGEST_LINE_BYTES } from '#session/scan/parse-line.js';
import { utf8Decoder } from '../bytes/flaws.js';

export type LineText =
  | { readonly kind: 'blank' }
  | {
      readonly kind: 'json';
      readonly text: string;
      /** The `id` of what it holds. */
      readonly id: string | null;
      /** Otherwise the bytes are not those of the text. */
      readonly isUtf8: boolean;
    }
  /** `length`: of its bytes without what ends the line. */
  | { readonly kind: 'damaged'; readonly text: string; readonly length: number };

/** Reads a line. Throws a CtxError (input) if it exceeds the maximum length of a string, and so cannot be searched. */
export function readLineText(source: ByteSource, { offset, length, line }: RawLine, file: string): LineText {
  if (length > LONGEST_LINE_BYTES)
    throw new CtxError('input', 'the line is too long to search', {
      where: `${file}:${line}`,
      hint: 'run ctx check for details; Pi cannot open the file either',
    });
  const bytes = source.read(offset, offset + length);
  const text = utf8Decoder.decode(bytes);
  if (text.trim() === '') return { kind: 'blank' };
  const value = parseJson(text.replace(/^\ufeff/, ''));
  if (value === undefined) return { kind: 'damaged', text, length: length - (/\r?\n?$/.exec(text)?.[0].length ?? 0) };
  const id = isObject(value) && typeof value.id === 'string' ? value.id : null;
  return { kind: 'json', text, id, isUtf8: !text.includes('\ufffd') || Buffer.byteLength(text) === length };
}

/**
 * The lines of a session. Other files that are JSON, such as a baseline, are one line, however many they are written
 * on.
 */
export function listLinesToRedact(source: ByteSource, file: string): Iterable<RawLine> {
  if (!isOneText(source, file)) return readLines(source);
  return [{ line: 1, offset: 0, length: source.size, terminated: false }];
}

function isOneText(source: ByteSource, file: string): boolean {
  for (const line of readLines(source)) {
    const { kind } = readLineText(source, line, file);
    if (kind !== 'blank')
      return (
        kind === 'damaged' &&
        source.size <= LONGEST_LINE_BYTES &&
        parseJson(new TextDecoder().decode(source.read(0, source.size))) !== undefined
      );
  }
  return false;
}

/** Tests whether the line at an offset may be damaged. */
export function buildDamageTest(source: ByteSource, file: string): (offset: number) => boolean {
  const lost = findDamagedOffsets(source, file);
  return (offset) => lost === null || lost.has(offset);
}

/** null where there is nothing that is no damage. */
function findDamagedOffsets(source: ByteSource, file: string): ReadonlySet<number> | null {
  try {
    return new Set(scanSession(source, file, { withoutHeader: true }).damaged.map(({ offset }) => offset));
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
