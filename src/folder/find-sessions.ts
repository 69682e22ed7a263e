import path from 'node:path';
import { CtxError } from '../errors.js';
import { type Io, sessionsFolder } from '../io.js';
import { type Peek, peek } from '../session/peek.js';
import type { FoundFile } from '../walk.js';

/** A file that is a session as far as its beginning tells; null where that tells nothing. */
export interface FoundSession extends FoundFile {
  readonly header: Peek | null;
  /** A short text that names it: to a command a prefix of its id, where ids are looked up, else its path in the folder. */
  readonly handle: string;
}

/** What is in a folder, before any session is read. */
export interface Found {
  /** Whether the sessions can be named by their ids, since this is where those are looked up. */
  readonly hasIds: boolean;
  readonly sessions: readonly FoundSession[];
  /** `.jsonl` files that hold no session. */
  readonly others: readonly FoundFile[];
  readonly unreadable: readonly string[];
}

/** Looks into a folder and all below it. Throws a CtxError (input) where there is no such folder. */
export function findSessions(io: Io, folder: string): Found {
  const { files, unreadable } = io.files.walk(folder);
  if (files.length === 0 && !io.files.exists(folder)) throw noFolder(io, folder);
  const hasIds = path.resolve(folder) === path.resolve(sessionsFolder(io));
  const handleOf = hasIds ? prefixes(folder, files) : (file: string) => path.relative(folder, file) || file;
  const sessions: FoundSession[] = [];
  const others: FoundFile[] = [];
  for (const found of files) {
    const header = headerOf(io, found);
    if (header === 'no-session') others.push(found);
    else sessions.push({ ...found, header, handle: handleOf(found.file) });
  }
  return { hasIds, sessions, others, unreadable };
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

const SHORTEST_PREFIX = 8;

/** The shortest prefixes of ids, as they stand in the names of files, that only one file has. */
function prefixes(folder: string, files: readonly FoundFile[]): (file: string) => string {
  const ids = files.flatMap(({ file }) => idOf(file) ?? []).toSorted();
  const shortest = new Map(
    ids.map((id, at) => {
      const shared = Math.max(sharedLength(id, ids[at - 1]), sharedLength(id, ids[at + 1]));
      return [id, id.slice(0, Math.max(SHORTEST_PREFIX, shared + 1))];
    }),
  );
  return (file) => shortest.get(idOf(file) ?? '') ?? path.relative(folder, file);
}

function idOf(file: string): string | null {
  return /^[^_]*_(.+)\.jsonl$/.exec(path.basename(file))?.[1] ?? null;
}

function sharedLength(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
