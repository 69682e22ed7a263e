import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { formatResumeCommand } from '#change/plan/next-commands.js';
import type { Files } from '#platform/files/files.js';
import { type FilePart, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type Block, commandLine, line } from '#ui/doc/doc.js';
import { startProgress } from '../sessions/progress.js';

/** The flags of a command that writes a new file. */
interface NewSessionFlags {
  readonly output?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** The new file; null: nothing is written. */
export function readOutputFile({ output, 'dry-run': isDry }: NewSessionFlags): string | null {
  return isDry ? null : (output ?? null);
}

/** A new file, with the permissions of the session that it comes from. */
export function toNewFile(output: string, bytes: FilePart['bytes'], from: string, force = false): FilePart {
  return { file: output, options: { force, like: from === '-' ? null : from }, bytes };
}

/** Writes the new file that the flags name, if any. `check` throws if no file may appear. */
export async function writeNewSession(
  { files }: Pick<Io, 'files'>,
  flags: NewSessionFlags,
  { bytes, from, check }: { readonly bytes: FilePart['bytes']; readonly from: string; readonly check?: () => void },
): Promise<void> {
  const output = readOutputFile(flags);
  if (output !== null) await writeTogether(files.createNew, [toNewFile(output, bytes, from, flags.force)], check);
}

/** The new file and its size. */
export function renderOutput({ output, newSize }: { readonly output: string | null; readonly newSize: number }): Block {
  return line(output === null ? 'nothing was written' : `${output}: ${pluralize(newSize, 'byte')}`);
}

/** How Pi continues a new session; nothing for standard output. The line is never wrapped, so that it can be copied. */
export function renderResume(output: string | null): readonly Block[] {
  return output === null || output === '-' ? [] : [commandLine('resume: ', formatResumeCommand(output))];
}

/** Returns a function that throws a CtxError (refused) if another program has written to a session since. */
export function createUnchangedCheck({ files }: Pick<Io, 'files'>, file: string): () => void {
  const modified = files.modified(file);
  return () => {
    if (files.modified(file) === modified) return;
    throw new CtxError('refused', 'another process is writing to the session; nothing was written', {
      where: file,
      hint: 'let the agent end first, then try again',
    });
  };
}

/**
 * The file of lost bytes next to a new session; null: nothing is lost. With `--force`, the file of an earlier run is
 * emptied then. Throws a CtxError (usage) if the output is standard output.
 */
export function findDiscardedFile(
  { files }: Pick<Io, 'files'>,
  output: string,
  { lost, force = false }: { readonly lost: readonly unknown[]; readonly force?: boolean | undefined },
): string | null {
  const file = `${output}.lost`;
  if (lost.length === 0) return force && files.exists(file) ? file : null;
  if (output !== '-') return file;
  throw new CtxError('usage', 'damaged bytes are kept in a file next to the new one', {
    where: '--output -',
    hint: 'name a file',
  });
}

/** Whether a file exists and has exactly the bytes of a source. */
export async function hasSameBytes(
  files: Pick<Files, 'exists' | 'open'>,
  file: string,
  source: ByteSource,
): Promise<boolean> {
  if (!files.exists(file)) return false;
  try {
    const there = await files.open(file);
    try {
      return haveEqualBytes(there, source);
    } finally {
      there.close();
    }
  } catch (error) {
    // A folder, say.
    if (error instanceof CtxError) return false;
    throw error;
  }
}

function haveEqualBytes(one: ByteSource, other: ByteSource): boolean {
  if (one.size !== other.size) return false;
  for (let at = 0; at < one.size; at += PIECE_BYTES) {
    const end = Math.min(at + PIECE_BYTES, one.size);
    if (Buffer.compare(one.read(at, end), other.read(at, end)) !== 0) return false;
  }
  return true;
}

const PIECE_BYTES = 1 << 20;

/** The bytes of a source in pieces, each valid until the next one; shows the progress. */
export async function* readWrittenPieces(io: Io, source: ByteSource): AsyncGenerator<Uint8Array> {
  await using progress = startProgress(io, Math.ceil(source.size / PIECE_BYTES), 'MB written');
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    yield source.read(at, Math.min(at + PIECE_BYTES, source.size));
    progress.step();
  }
}
