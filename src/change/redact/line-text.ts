import { Buffer } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { type ByteSource, type RawLine, linesOf } from '#session/scan/bytes.js';
import { LONGEST_LINE_BYTES } from '#session/scan/parse.js';
import { scan } from '#session/scan/scanning.js';

/** A line as text. */
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

const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads a line. Throws a CtxError (input) if it exceeds the maximum length of a string, and so cannot be searched. */
export function readLine(source: ByteSource, { offset, length, line }: RawLine, file: string): LineText {
  if (length > LONGEST_LINE_BYTES)
    throw new CtxError('input', 'the line is too long to search', {
      where: `${file}:${line}`,
      hint: 'run ctx check for details; Pi cannot open the file either',
    });
  const bytes = source.read(offset, offset + length);
  const text = lenient.decode(bytes);
  if (text.trim() === '') return { kind: 'blank' };
  const value = parsed(text.replace(/^\ufeff/, ''));
  if (value === undefined) return { kind: 'damaged', text, length: length - (/\r?\n?$/.exec(text)?.[0].length ?? 0) };
  const id = isObject(value) && typeof value['id'] === 'string' ? value['id'] : null;
  return { kind: 'json', text, id, isUtf8: !text.includes('\ufffd') || Buffer.byteLength(text) === length };
}

/** undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lines of a session. Other files that are JSON, such as a baseline, are one line, however many they are written on. */
export function linesToRedact(source: ByteSource, file: string): () => Iterable<RawLine> {
  const isOne = isOneText(source, file);
  return () => (isOne ? [{ line: 1, offset: 0, length: source.size, terminated: false }] : linesOf(source));
}

function isOneText(source: ByteSource, file: string): boolean {
  for (const line of linesOf(source)) {
    const { kind } = readLine(source, line, file);
    if (kind !== 'blank') return kind === 'damaged' && source.size <= LONGEST_LINE_BYTES && isJson(source);
  }
  return false;
}

function isJson(source: ByteSource): boolean {
  try {
    JSON.parse(new TextDecoder().decode(source.read(0, source.size)));
    return true;
  } catch {
    return false;
  }
}

/** Says of a line, by where it begins, whether it may be damaged. */
export function damageIn(source: ByteSource, file: string): (offset: number) => boolean {
  const lost = lostIn(source, file);
  return (offset) => lost === null || lost.has(offset);
}

/** null where there is nothing that is no damage. */
function lostIn(source: ByteSource, file: string): ReadonlySet<number> | null {
  try {
    return new Set(scan(source, file, { withoutHeader: true }).lost.map(({ offset }) => offset));
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
