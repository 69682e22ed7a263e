import type { ByteSource, Span } from './bytes.js';

/** One physical line. `length` counts its newline, which a torn last line lacks. */
export interface Line extends Span {
  readonly terminated: boolean;
}

const NEWLINE = 0x0a;
const BLOCK_BYTES = 1 << 20;

/**
 * Splits on byte 0x0A and nothing else, as Pi does: U+2028, U+2029, NEL and a carriage return are
 * text. Memory is one block, whatever the length of a line.
 */
export function* linesOf(source: ByteSource): Generator<Line> {
  let number = 1;
  let start = 0;
  for (let blockStart = 0; blockStart < source.size; blockStart += BLOCK_BYTES) {
    const blockEnd = Math.min(blockStart + BLOCK_BYTES, source.size);
    for (const at of newlinesIn(source.read(blockStart, blockEnd))) {
      const end = blockStart + at + 1;
      yield { line: number, offset: start, length: end - start, terminated: true };
      number += 1;
      start = end;
    }
  }
  if (start < source.size) yield { line: number, offset: start, length: source.size - start, terminated: false };
}

function newlinesIn(block: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, at + 1)) found.push(at);
  return found;
}
