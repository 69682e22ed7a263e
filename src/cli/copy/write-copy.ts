import path from 'node:path';
import type { LossDocument } from '#analysis/loss/document.js';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { formatTime } from '#base/time.js';
import { buildUuid } from '#base/uuid.js';
import { buildCopy, type BuiltCopy } from '#change/copy/build-copy.js';
import type { CopyDraft } from '#change/copy/copy-draft.js';
import type { SessionToCopy } from '#change/copy/session-to-copy.js';
import { type FilePart, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { findFormat } from '#session/agents/index.js';
import { createUnchangedCheck, toNewFile } from '../commands/new-session.js';
import { copySideFiles, listSideFiles, type SideFiles } from './side-files.js';

/** A copy that is planned. */
export interface PlannedCopy {
  readonly session: SessionToCopy;
  readonly command: string;
  readonly copy: CopyDraft;
  /** The losses of the summary; only of a dry run that compacts. */
  readonly loss?: LossDocument | null;
}

/** The flags for the place of a copy, and the files that belong beside it. */
export interface CopyTarget {
  readonly 'dry-run'?: boolean | undefined;
  readonly output?: string | undefined;
  readonly install?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** The files beside the copy, and sentences about them, for its place. */
  beside?(place: string): FilesBeside;
  /** The files that belong to the session stay with the original: they may contain what the copy lacks. */
  readonly isAlone?: boolean;
}

/** The files that are written together with a copy. */
export interface FilesBeside {
  readonly files: readonly FilePart[];
  readonly notes: readonly string[];
}

/** A copy that was built and perhaps written. */
export interface WrittenCopy {
  readonly built: BuiltCopy;
  readonly sessionId: string;
  /** The file of the copy, written or not; null if no place was named. */
  readonly place: string | null;
  readonly isWritten: boolean;
  /** Whether that file is where the agent looks for its sessions. */
  readonly isInstalled: boolean;
  /** Sentences about the files that were written beside it. */
  readonly notes: readonly string[];
  /** The files that belong to the original. */
  readonly sideFiles: SideFiles;
  /** Whether the copy has copies of these files. */
  readonly hasSideFiles: boolean;
}

/** Builds a copy, and writes it where the flags say. Throws like `buildCopy`. */
export async function writeCopy(io: Io, planned: PlannedCopy, target: CopyTarget): Promise<WrittenCopy> {
  const { session, copy } = planned;
  const { install: isInstalled = false, output, force = false, isAlone = false } = target;
  const sessionId = buildUuid(io.newId);
  const timestamp = formatTime(io.now()) ?? '';
  const assertUnchanged = createUnchangedCheck(io, session.file);
  const stamps = { sessionId, timestamp, newId: () => buildUuid(io.newId) };
  const built = await buildCopy(session, copy, stamps);

  const installedPlace = findInstalledPlace(io, planned, { sessionId, timestamp });
  const place = isInstalled ? installedPlace : (output ?? null);
  const sideFiles = findSideFiles(io, session);
  const hasSideFiles = isInstalled && !isAlone;
  const found = { built, sessionId, place, isInstalled, sideFiles, hasSideFiles };
  if (target['dry-run'] || place === null) return { ...found, isWritten: false, notes: [] };

  if (path.resolve(place) === path.resolve(session.file)) throw buildOwnFileError(session.file);
  const { files: others, notes } = target.beside?.(place) ?? { files: [], notes: [] };
  for (const { file } of others) await io.files.makeFolder(path.dirname(file));
  const parts = [toNewFile(place, [built.bytes], session.file, force && !isInstalled), ...others];
  const copied = hasSideFiles ? sideFiles : NO_SIDE_FILES;
  if (isInstalled) await installCopy(io, planned, { place, sessionId, parts, sideFiles: copied, assertUnchanged });
  else await writeTogether(io.files.createNew, parts, assertUnchanged);
  return { ...found, isWritten: true, notes };
}

/** The place where the agent of a session looks for a copy of it. */
function findInstalledPlace(
  io: Io,
  { session }: PlannedCopy,
  { sessionId, timestamp }: { readonly sessionId: string; readonly timestamp: string },
): string {
  const folder = path.dirname(path.resolve(io.cwd, session.file));
  const root = findFormat(session)?.folders(io.env, io.home)[0] ?? folder;
  return session.copier.opening.placeOf({ sessionId, cwd: session.header.cwd, folder, root, timestamp });
}

const NO_SIDE_FILES: SideFiles = { folder: '', names: [] };

/** The files that belong to a session. */
function findSideFiles({ files }: Io, session: SessionToCopy): SideFiles {
  const [folder] = findFormat(session)?.sideFolders?.(session.file, files.list) ?? [];
  return folder === undefined ? NO_SIDE_FILES : listSideFiles(files, folder);
}

function buildOwnFileError(file: string): CtxError {
  return new CtxError('refused', 'the copy would replace its original', { where: file, hint: 'name another file' });
}

/** A copy to install. */
interface Installation {
  readonly place: string;
  readonly sessionId: string;
  /** The files of the copy, the session first. */
  readonly parts: readonly FilePart[];
  /** The files of the original that are copied with it. */
  readonly sideFiles: SideFiles;
  readonly assertUnchanged: () => void;
}

/**
 * Writes a new session and the files beside it. It never replaces another one. The session itself comes last, so that
 * the agent finds a whole copy or none, whenever the command is killed.
 */
async function installCopy(
  { files }: Io,
  { session }: PlannedCopy,
  { place, sessionId, parts, sideFiles, assertUnchanged }: Installation,
): Promise<void> {
  await files.makeFolder(path.dirname(place));
  const ids = { from: session.header.id, to: sessionId };
  const [to = ''] = findFormat(session)?.sideFolders?.(place, files.list) ?? [];
  const undo = await copySideFiles(files, sideFiles, {
    to,
    like: session.file,
    convert: (name, content) => session.copier.convertSideFile?.(name, content, ids) ?? content,
  });
  try {
    await writeTogether(files.createNew, parts, assertUnchanged);
  } catch (error) {
    undo();
    throw error;
  }
}

/** A copy as the next command names it; `COPY` for one that is not written. */
export function nameCopy({ place, sessionId, isWritten, isInstalled }: WrittenCopy): string {
  if (!isWritten || place === null || place === '-') return 'COPY';
  return isInstalled ? sessionId : toShellWord(place);
}
