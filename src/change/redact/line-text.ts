import { Buffer } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import type { ByteSource } from '#session/scan/bytes.js';
import type { Line } from '#session/scan/lines.js';
import { LONGEST_LINE_BYTES } from '#session/scan/parse.js';

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

/** Reads a line. Throws a CtxError (input) for one that no string can hold, since nobody can search it. */
export function readLine(source: ByteSource, { offset, length, line }: Line, file: string): LineText {
  if (length > LONGEST_LINE_BYTES)
    throw new CtxError('input', 'this line is too long to be searched', {
      where: `${file}:${line}`,
      hint: 'Pi cannot open the file either: ctx check says more',
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
