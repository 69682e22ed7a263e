import { isUtf8 } from 'node:buffer';
import type { ByteSource } from './byte-source.js';
import type { RawLine } from './lines.js';

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
