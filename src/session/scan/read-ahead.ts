import { once } from '#base/memoize.js';
import type { ByteSource } from './byte-source.js';

/** New memory is slow, so most reads share a block of it. */
const SHARED_BYTES = 1 << 20;
/** The read-ahead for a reader that continues where its last read ended, or a little later. */
const AHEAD_BYTES = 1 << 16;

/** Reads pieces of a source of `size` bytes: consecutive ones with few calls, and others directly. */
export function buildReadAhead(readInto: ByteSource['readInto'], size: number): ByteSource['read'] {
  const block = once(() => new Uint8Array(Math.min(SHARED_BYTES, size)));
  let held = { start: 0, end: 0 };
  const fill = (start: number, end: number): void => {
    held = { start: 0, end: 0 };
    readInto(block().subarray(0, end - start), start);
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
    return block().subarray(start - held.start, end - held.start);
  };
}
