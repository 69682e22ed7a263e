import type { ByteSource } from './bytes.js';
import type { Line } from './lines.js';

/** V8 cannot hold a longer string, and UTF-8 never decodes to more code units than it has bytes. */
export const LONGEST_LINE_BYTES = 2 ** 29 - 24;

/** What one line holds. A damaged line keeps its text, so that the kind of damage can be told. */
export type ParsedLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'value'; readonly value: unknown; readonly validUtf8: boolean }
  | { readonly kind: 'damaged'; readonly text: string }
  | { readonly kind: 'too-long' };

const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/** Reads a line as Pi does: invalid UTF-8 becomes U+FFFD, white space alone is blank, the rest is JSON or damage. */
export function parseLine(source: ByteSource, line: Line): ParsedLine {
  if (line.length > LONGEST_LINE_BYTES) return { kind: 'too-long' };
  const bytes = source.read(line.offset, line.offset + line.length);
  const text = lenient.decode(bytes);
  if (text.trim() === '') return { kind: 'blank' };
  try {
    return { kind: 'value', value: JSON.parse(text), validUtf8: !text.includes('\ufffd') || isUtf8(bytes) };
  } catch {
    return { kind: 'damaged', text };
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
