import { CtxError } from '#base/errors.js';
import type { FoundFile } from '#platform/files/walk.js';
import { type Io, sessionsFolder } from '#platform/io.js';
import { type Peek, peek } from '#session/scan/peek.js';

/** A file that is a session as far as its beginning tells; null where that tells nothing. */
export interface FoundSession extends FoundFile {
  readonly header: Peek | null;
}

/** What is in a folder, before any session is read. */
export interface Found {
  readonly sessions: readonly FoundSession[];
  /** `.jsonl` files that hold no session. */
  readonly others: readonly FoundFile[];
  readonly unreadable: readonly string[];
}

/** Looks into a folder and all below it. Throws a CtxError (input) where there is no such folder. */
export function findSessions(io: Io, folder: string): Found {
  const { files, unreadable } = io.files.walk(folder);
  if (files.length === 0 && !io.files.exists(folder)) throw noFolder(io, folder);
  const sessions: FoundSession[] = [];
  const others: FoundFile[] = [];
  for (const found of files) {
    const header = headerOf(io, found);
    if (header === 'no-session') others.push(found);
    else sessions.push({ ...found, header });
  }
  return { sessions, others, unreadable };
}

function noFolder(io: Io, folder: string): CtxError {
  const hint =
    folder === sessionsFolder(io)
      ? 'Pi keeps its sessions there; if it uses another agent folder, set PI_CODING_AGENT_DIR to it'
      : "name a folder that holds sessions; Pi's own is found without a name, or by PI_CODING_AGENT_DIR";
  return new CtxError('input', 'no such folder', { where: folder, hint });
}

const USUAL_BYTES = 4096;
const MOST_BYTES = 65_536;

function headerOf({ files }: Io, { file, size }: FoundFile): Peek | 'no-session' | null {
  for (const most of [USUAL_BYTES, MOST_BYTES]) {
    const bytes = files.beginning(file, most);
    // Nothing could be read: opening it will tell why.
    if (bytes.length === 0 && size > 0) return null;
    const found = peek(bytes, bytes.length < most);
    if (found !== null) return found;
  }
  return null;
}
