import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { startProgress } from './progress.js';

const PIECE_BYTES = 1 << 20;

/** All bytes of a source in pieces that are to be written, each valid until the next one is asked for; says how far it is. */
export async function* writtenPieces(io: Io, source: ByteSource): AsyncGenerator<Uint8Array> {
  const progress = startProgress(io, Math.ceil(source.size / PIECE_BYTES), 'MB written');
  try {
    for (let at = 0; at < source.size; at += PIECE_BYTES) {
      yield source.read(at, Math.min(at + PIECE_BYTES, source.size));
      progress.step();
    }
  } finally {
    await progress.clear();
  }
}
