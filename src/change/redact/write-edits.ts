import { Buffer } from 'node:buffer';
import type { Line } from '#session/scan/lines.js';
import type { LineText } from './line-text.js';
import type { Patches } from './patches.js';

/** A stretch of the text of a line, and what is to stand there. */
export interface WrittenEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Notes the edits of a line, which come in order, as stretches of the file. All other bytes stay. */
export function writeEdits(
  read: Extract<LineText, { readonly kind: 'json' }>,
  line: Line,
  edits: readonly WrittenEdit[],
  patches: Patches,
): void {
  if (edits.length === 0) return;
  const { text, isUtf8 } = read;
  if (!isUtf8) {
    // Where a character stands among bytes that are none, nobody can say: the line is written as readers read it.
    patches.replace(line.offset, line.offset + line.length, edited(text, edits));
    return;
  }
  const isAscii = text.length === line.length;
  let at = 0;
  let offset = line.offset;
  const offsetOf = (place: number): number => {
    offset += isAscii ? place - at : Buffer.byteLength(text.slice(at, place));
    at = place;
    return offset;
  };
  for (const { start, end, text: written } of edits) patches.replace(offsetOf(start), offsetOf(end), written);
}

function edited(text: string, edits: readonly WrittenEdit[]): string {
  let from = 0;
  let result = '';
  for (const { start, end, text: written } of edits) {
    result += text.slice(from, start) + written;
    from = end;
  }
  return result + text.slice(from);
}
