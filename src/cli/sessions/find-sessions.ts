import { CtxError } from '#base/errors.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';
import { findSessionsFolder } from '#session/agents/pi-folders.js';
import type { SessionPeek } from '#session/scan/peek.js';
import { readLastEntryTime } from './last-entry.js';
import { findSessionFiles, isDocumentName, peekSessionHeader } from './session-files.js';

/** A file with the header of a session, or null if its beginning is inconclusive. */
export interface FoundSession extends FoundFile {
  readonly header: SessionPeek | null;
  /** The time of its last entry: see `readLastEntryTime`. */
  readonly at: number;
}

/** The files of a folder, before any session is read. */
export interface FoundSessions {
  readonly sessions: readonly FoundSession[];
  /** `.jsonl` files that hold no session. */
  readonly others: readonly FoundFile[];
  readonly unreadable: readonly string[];
}

/**
 * The sessions of Pi and other agents in a folder and its subfolders. Throws a CtxError (input) if the folder does not
 * exist.
 */
export async function findSessions(io: Io, folder: string): Promise<FoundSessions> {
  const { files, unreadable } = await findSessionFiles(io, folder);
  if (files.length === 0 && !io.files.exists(folder)) throw buildMissingFolderError(io, folder);
  const sessions: FoundSession[] = [];
  const rest: FoundFile[] = [];
  for (const found of files) {
    const header = isDocumentName(found.file) ? 'no-session' : peekSessionHeader(io, found);
    if (header === 'no-session') rest.push(found);
    else sessions.push({ ...found, header, at: readLastEntryTime(io.files, found) });
  }
  if (rest.length === 0) return { sessions, others: rest, unreadable };
  const ofAgents = (await import('./agent-sessions.js')).detectSessions(io, rest);
  return { sessions: [...sessions, ...ofAgents.sessions], others: ofAgents.others, unreadable };
}

/** The error for a folder of sessions that does not exist. */
export function buildMissingFolderError(io: Io, folder: string): CtxError {
  const hint =
    folder === findSessionsFolder(io)
      ? 'Pi keeps its sessions there; name another folder, or set PI_CODING_AGENT_DIR'
      : "name a folder that holds sessions; Pi's own is found without a name, or by PI_CODING_AGENT_DIR";
  return new CtxError('input', 'no such folder', { where: folder, hint });
}
