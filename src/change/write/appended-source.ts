import type { ByteSource } from '#session/scan/bytes.js';

/** The bytes of a source with others behind them. */
export function appendedSource(source: ByteSource, addition: Uint8Array): ByteSource {
  const size = source.size + addition.length;
  const readInto = (target: Uint8Array, start: number): void => {
    const inside = Math.max(0, Math.min(source.size - start, target.length));
    if (inside > 0) source.readInto(target.subarray(0, inside), start);
    const from = start + inside - source.size;
    target.set(addition.subarray(from, from + target.length - inside), inside);
  };
  const read = (start: number, end: number): Uint8Array => {
    const bytes = new Uint8Array(end - start);
    readInto(bytes, start);
    return bytes;
  };
  return { size, read, readInto, close: () => source.close() };
}
