import { locateSession } from '#cli/locate.js';
import { openHere, type OpenSession } from '#context/open.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import type { Argument, Opener } from './define.js';

/** The argument of a command that reads one session. */
export const sessionArgument: Argument = {
  name: 'session',
  help: 'a file, a session id or a prefix of it, "latest" (the default), or - for standard input',
};

/** The entry of that session that a command looks at. */
export const revisionArgument: Argument = {
  name: 'rev',
  help: 'the entry to look at: HEAD (the default), an id or a prefix of it, a label, REV~N, @{turn:N}, @{request:N} or @{compaction} (see ctx help revisions); without a session, it names an entry of the latest one',
  isRevision: true,
};

/** The argument of a command that reads one session, and not from standard input. */
export const sessionFileArgument: Argument = {
  name: 'session',
  help: 'a file, a session id or a prefix of it, or "latest" (the default)',
};

/** The argument of a command that appends to a session: see `locateToWrite`. */
export const sessionToWriteArgument: Argument = {
  name: 'session',
  help: 'a file, a session id or a prefix of it, or "latest" (default: the latest of this folder)',
};

/** Opens the session that an argument names, by default the latest one. It is closed after printing. */
export function openNamed(opener: Opener, name = 'latest'): Promise<OpenSession> {
  return openFile(opener, locateSession(opener.io, name));
}

/** Opens a session by its path. It is closed after printing. */
export async function openFile({ io, keepOpen, openKept }: Opener, file: string): Promise<OpenSession> {
  return openKept ? openKept(file) : keepOpen(await openHere(io, file));
}

/** The entry that `--at` names, null in an empty session, and the path to it. */
export function pathAt(
  session: Session,
  revision = 'HEAD',
): { readonly end: Head | null; readonly path: readonly Head[] } {
  const end = resolveRevision(session, revision);
  return { end, path: end ? pathTo(session.tree, end) : [] };
}
