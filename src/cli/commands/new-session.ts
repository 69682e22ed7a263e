import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { startProgress } from '../sessions/progress.js';

/** Returns a function that throws a CtxError (refused) if another program has written to a session since. */
export function unchanged({ files }: Pick<Io, 'files'>, file: string): () => void {
  const modified = files.modified(file);
  return () => {
    if (files.modified(file) === modified) return;
    throw new CtxError('refused', 'another process is writing to the session; nothing was written', {
      where: file,
      hint: 'let Pi end first, then try again',
    });
  };
}

/** The file of lost bytes next to a new session. Throws a CtxError (usage) if the output is standard output. */
export function lostFileOf(output: string): string {
  if (output !== '-') return `${output}.lost`;
  throw new CtxError('usage', 'damaged bytes are kept in a file next to the new one', {
    where: '--output -',
    hint: 'name a file',
  });
}

const PIECE_BYTES = 1 << 20;

/** The bytes of a source in pieces, each valid until the next one; shows the progress. */
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
