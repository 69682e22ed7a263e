import type { FolderWalk, FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';
import { dropRepeated, toContentName } from '#session/scan/compression.js';
import { detectOtherFile } from '#session/scan/other-files.js';
import { peekSession, type SessionPeek } from '#session/scan/peek.js';

/** A file to read, with its size, or 0 if that is unknown. */
export interface NamedFile {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * The files of a folder and its subfolders that are read as sessions: those that end in `.jsonl`, also compressed, but
 * for logs that programs write beside their sessions, and of those that end in `.json` the documents of an agent, by
 * their content. A path of a file is that file, whatever its name.
 */
export async function findSessionFiles(io: Pick<Io, 'files'>, folder: string): Promise<FolderWalk> {
  const all = walkSessionFiles(io, folder);
  const walk = { ...all, files: all.files.filter((found) => found.file === folder || !isLog(io, found)) };
  const isOpen = ({ file }: FoundFile): boolean => file !== folder && isDocumentName(file);
  if (!walk.files.some(isOpen)) return walk;
  const { isSessionDocument } = await import('./agent-header.js');
  return { ...walk, files: walk.files.filter((found) => !isOpen(found) || isSessionDocument(io, found)) };
}

/** Tests whether a program wrote a file beside its sessions. */
function isLog({ files }: Pick<Io, 'files'>, { file }: FoundFile): boolean {
  return !isDocumentName(file) && detectOtherFile(files.beginning(file, USUAL_BYTES))?.isLog === true;
}

/** The files in a folder and its subfolders whose names may be those of sessions. */
export function walkSessionFiles(
  { files }: Pick<Io, 'files'>,
  folder: string,
  mayEnter: (path: string) => boolean = () => true,
): FolderWalk {
  const walk = files.walk(folder, { pattern: SESSION_FILE, mayEnter });
  return { ...walk, files: dropRepeated(walk.files, ({ file }) => file) };
}

/** The names of files that may be sessions. */
export const SESSION_FILE = /\.jsonl?(?:\.gz|\.zst)?$/;

/** Tests whether a file is one JSON value by its name, and not one a line. */
export function isDocumentName(file: string): boolean {
  return toContentName(file).endsWith('.json');
}

const USUAL_BYTES = 4096;
const MOST_BYTES = 65_536;

/** The header of a session. `no-session` if there is none; null if its beginning is inconclusive. */
export function peekSessionHeader(
  { files }: Pick<Io, 'files'>,
  { file, size }: NamedFile,
): SessionPeek | 'no-session' | null {
  for (const most of [USUAL_BYTES, MOST_BYTES]) {
    const bytes = files.beginning(file, most);
    // The file cannot be read; opening it later reports why.
    if (bytes.length === 0 && size > 0) return null;
    const found = peekSession(bytes, bytes.length < most);
    if (found !== null) return found;
  }
  return null;
}
