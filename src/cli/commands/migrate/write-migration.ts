import { CtxError } from '#base/errors.js';
import type { MigrationPlan } from '#change/migrate/plan-migration.js';
import type { OpenSession } from '#context/open.js';
import { type FilePart, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { findDiscardedFile, hasSameBytes, readWrittenPieces, toNewFile } from '../new-session.js';

/** The files that a migration writes. */
export interface MigrationFiles {
  readonly output: string;
  /** Gets the old session where the new one replaces it. */
  readonly backup: string | null;
  /** Gets the damaged lines that are left out. */
  readonly lostFile: string | null;
}

/** The flags that name the files. */
interface FileFlags {
  readonly output?: string | undefined;
  readonly 'in-place'?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** Chooses the files for a session. Throws a CtxError (usage) where standard input has no file beside it. */
export function chooseFiles(io: Io, file: string, flags: FileFlags, { lost }: MigrationPlan): MigrationFiles {
  if (file === '-' && flags.output === undefined)
    throw new CtxError('usage', 'standard input has no folder for a new file', {
      hint: 'say --output NEW.jsonl',
    });
  const output = flags.output ?? (flags['in-place'] ? file : `${file.replace(/\.jsonl$/, '')}.v3.jsonl`);
  return {
    output,
    backup: flags['in-place'] ? `${file}.bak` : null,
    lostFile: findDiscardedFile(io, output, { lost, force: flags.force }),
  };
}

interface MigrationToWrite {
  readonly session: OpenSession;
  readonly plan: MigrationPlan;
  readonly files: MigrationFiles;
  readonly force: boolean;
  /** Throws if another program has written to the old file. */
  check(): void;
}

/** Writes all files or none. A session is locked while it is replaced. */
export async function writeMigration(io: Io, { session, plan, files, force, check }: MigrationToWrite): Promise<void> {
  const { file, source } = session;
  const { output, backup, lostFile } = files;
  const inPlace = backup !== null;
  const result = toNewFile(output, readWrittenPieces(io, plan.result), file, force || inPlace);
  const parts: FilePart[] = [{ ...result, options: { ...result.options, inPlace } }];
  if (lostFile !== null) parts.push(toNewFile(lostFile, readDiscarded(session, plan), file, force));
  // A run that was killed has left its backup, and only that: it is still the session as it was.
  if (backup !== null && !(await hasSameBytes(io.files, backup, source)))
    parts.push(toNewFile(backup, readWrittenPieces(io, source), file, force));
  const lock = inPlace ? await io.files.openToAppend(file) : null;
  try {
    await writeTogether(io.files.createNew, parts, check);
  } finally {
    await lock?.release();
  }
}

function* readDiscarded({ bytes }: OpenSession, { lost }: MigrationPlan): Generator<Uint8Array> {
  for (const part of lost) yield* bytes(part);
}
