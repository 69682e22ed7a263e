import type { ByteSource } from './byte-source.js';

/** The first bytes of a source, up to `end`. */
export interface SourceBeginning {
  readonly source: ByteSource;
  readonly end: number;
}

/** The beginnings of several sources, one after another. Closing it closes all of them. */
export function joinSources(pieces: readonly SourceBeginning[]): ByteSource {
  const parts = pieces.map((_, at) => pieces.slice(0, at).reduce((sum, { end }) => sum + end, 0));
  const size = pieces.reduce((sum, { end }) => sum + end, 0);
  const readInto = (target: Uint8Array, start: number): void => {
    for (const [at, { source, end }] of pieces.entries()) {
      const first = parts[at] ?? 0;
      const from = Math.max(start, first);
      const to = Math.min(start + target.length, first + end);
      if (from < to) source.readInto(target.subarray(from - start, to - start), from - first);
    }
  };
  const read = (start: number, end: number): Uint8Array => {
    const at = parts.findLastIndex((first) => first <= start);
    const first = parts[at] ?? 0;
    if (pieces[at] && end <= first + pieces[at].end) return pieces[at].source.read(start - first, end - first);
    const bytes = new Uint8Array(end - start);
    readInto(bytes, start);
    return bytes;
  };
  const isStrict = pieces.some(({ source }) => source.isStrict);
  return { size, parts, isStrict, read, readInto, close: () => pieces.forEach(({ source }) => source.close()) };
}

/** Joined sources with another last one. Closing it leaves those before open. */
export function replaceLastSource(whole: ByteSource, last: ByteSource): ByteSource {
  const { parts = [0] } = whole;
  const before = { source: { ...whole, close() {} }, end: parts.at(-1) ?? 0 };
  return { ...joinSources([before, { source: last, end: last.size }]), parts };
}
