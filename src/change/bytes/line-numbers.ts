import { type ByteSource } from '#session/scan/byte-source.js';
import { findNewlines } from '#session/scan/lines.js';

export type WithLine<Part> = Part & { readonly line: number };

/** Adds to parts of a file their line numbers, from 1. Reads the file up to the last of them. */
export function addLineNumbers<Part extends { readonly offset: number }>(
  source: ByteSource,
  parts: readonly Part[],
): readonly WithLine<Part>[] {
  const lines = findLineNumbers(
    source,
    Float64Array.from(parts, ({ offset }) => offset),
  );
  return parts.map((part) => ({ ...part, line: lines.get(part.offset) ?? 1 }));
}

/** The line numbers of offsets, by offset. */
function findLineNumbers(source: ByteSource, offsets: Float64Array): ReadonlyMap<number, number> {
  const sorted = offsets.toSorted();
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
  return lines;
}

const BLOCK_BYTES = 1 << 20;
