import { createHash } from 'node:crypto';
import type { ByteSource } from '#session/scan/byte-source.js';

const PIECE_BYTES = 1 << 20;

/** SHA-256, in hex, of all the bytes of a source. Reads into one block: new memory for each piece would be garbage. */
export function hashSource(source: ByteSource): string {
  const hash = createHash('sha256');
  const block = new Uint8Array(Math.min(PIECE_BYTES, source.size));
  for (let at = 0; at < source.size; at += block.length) {
    const piece = block.subarray(0, source.size - at);
    source.readInto(piece, at);
    hash.update(piece);
  }
  return hash.digest('hex');
}
