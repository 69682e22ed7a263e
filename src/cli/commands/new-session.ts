import { CtxError } from '#base/errors.js';
import { plural } from '#base/words.js';
import { type Part, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { type Block, line } from '#ui/doc/doc.js';
import { startProgress } from '../sessions/progress.js';

/** The flags of a command that writes a new session. */
interface NewSessionFlags {
  readonly output?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** The new file; null: nothing is written. */
export function outputOf({ output, 'dry-run': isDry }: NewSessionFlags): string | null {
  return isDry ? null : (output ?? null);
}

/** A new file, with the permissions of the session that it comes from. */
export function partOf(output: string, bytes: Part['bytes'], from: string, force = false): Part {
  return { file: output, options: { force, like: from === '-' ? null : from }, bytes };
}

/** Writes the new file that the flags name, if any. `check` throws if no file may appear. */
export async function writeNew(
  { files }: Pick<Io, 'files'>,
  flags: NewSessionFlags,
  { bytes, from, check }: { readonly bytes: Part['bytes']; readonly from: string; readonly check?: () => void },
): Promise<void> {
  const output = outputOf(flags);
  if (output !== null) await writeTogether(files.createNew, [partOf(output, bytes, from, flags.force)], check);
}

/** The new file and its size. */
export function outputLine({ output, newSize }: { readonly output: string | null; readonly newSize: number }): Block {
  return line(output === null ? 'nothing was written' : `${output}: ${plural(newSize, 'byte')}`);
}

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
