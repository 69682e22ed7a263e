import type { ByteSource } from './bytes.js';

/** Fresh memory is slow, so most reads share a piece of it. */
const SHARED_BYTES = 1 << 18;
/** Who reads on where the last piece ended, or a little further down, will go on: so much is read at once then. */
const AHEAD_BYTES = 1 << 16;

/** Reads pieces of a source of `size` bytes: one after another with few calls, and others as they are. */
export function readingAhead(readInto: ByteSource['readInto'], size: number): ByteSource['read'] {
  const shared = new Uint8Array(Math.min(SHARED_BYTES, size));
  let held = { start: 0, end: 0 };
  const fill = (start: number, end: number): void => {
    held = { start: 0, end: 0 };
    readInto(shared.subarray(0, end - start), start);
    held = { start, end };
  };
  return (start, end) => {
    if (end - start > SHARED_BYTES) {
      const bytes = new Uint8Array(end - start);
      readInto(bytes, start);
      return bytes;
    }
    if (start < held.start || end > held.end) {
      const goesOn = start >= held.start && start < held.end + AHEAD_BYTES;
      fill(start, goesOn ? Math.max(end, Math.min(start + AHEAD_BYTES, size)) : end);
    }
    return shared.subarray(start - held.start, end - held.start);
  };
}
