import { type ByteSource } from '#session/scan/byte-source.js';
import { findNewlines } from '#session/scan/lines.js';

const BLOCK_BYTES = 1 << 20;

interface Place {
  readonly offset: number;
}

export type WithLine<Part> = Part & { readonly line: number };

/** Adds the line numbers, from 1, to these parts of a file. Reads the file once, up to the last of them. */
export function addLineNumbers(
  source: ByteSource,
  parts: readonly Place[],
): <Part extends Place>(part: Part) => WithLine<Part> {
  const sorted = Float64Array.from(parts, ({ offset }) => offset).toSorted();
  const lines = new Map<number, number>();
  let line = 1;
  let next = 0;
  const settle = (end: number): void => {
    for (; next < sorted.length && (sorted[next] ?? 0) < end; next += 1) lines.set(sorted[next] ?? 0, line);
  };
  for (let start = 0; start < source.size && next < sorted.length; start += BLOCK_BYTES) {
    const end = Math.min(start + BLOCK_BYTES, source.size);
    for (const at of findNewlines(source.read(start, end))) {
      settle(start + at + 1);
      line += 1;
    }
    settle(end);
  }
  settle(Infinity);
  return (part) => ({ ...part, line: lines.get(part.offset) ?? line });
}
