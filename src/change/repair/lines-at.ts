import type { ByteSource } from '#session/scan/bytes.js';
import { newlinesIn } from '#session/scan/lines.js';

const BLOCK_BYTES = 1 << 20;

/** The lines, counted from 1, that these bytes of a file stand on. The file is read once, up to the last of them. */
export function linesAt(source: ByteSource, offsets: readonly number[]): (offset: number) => number {
  const sorted = Float64Array.from(offsets).toSorted();
  const lines = new Map<number, number>();
  let line = 1;
  let next = 0;
  const settle = (end: number): void => {
    for (; next < sorted.length && (sorted[next] ?? 0) < end; next += 1) lines.set(sorted[next] ?? 0, line);
  };
  for (let start = 0; start < source.size && next < sorted.length; start += BLOCK_BYTES) {
    const end = Math.min(start + BLOCK_BYTES, source.size);
    for (const at of newlinesIn(source.read(start, end))) {
      settle(start + at + 1);
      line += 1;
    }
    settle(end);
  }
  settle(Infinity);
  return (offset) => lines.get(offset) ?? line;
}
