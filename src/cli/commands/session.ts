import { locateSession } from '#cli/locate.js';
import { toLenient } from '#context/lenient.js';
import { openForCommand, type OpenSession } from '#context/open.js';
import { formatNameFirst } from '#context/words/tool-call.js';
import type { Io } from '#platform/io.js';
import { type Doc, line, span } from '#ui/doc/doc.js';
import { shortenHome } from '../sessions/folders.js';
import type { Argument, SessionOpener } from './define.js';

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

/** A file on a line: a long path has its name first, and `~` for the home folder. */
export function describeFile(file: string, { home }: Pick<Io, 'home'>): string {
  return formatNameFirst(shortenHome(file, home));
}

/** A line that tells why a session was chosen: see `explainChoice`. */
export function renderChoice(reason: string | null): Doc {
  return reason === null ? [] : [line(span(reason, 'faint'))];
}

/** Opens the session that an argument names, by default the latest one. It is closed after printing. */
export async function openNamedSession(
  opener: SessionOpener,
  name = 'latest',
  flags: LenientFlag = {},
): Promise<OpenSession> {
  return openSessionFile(opener, await locateSession(opener.io, name), flags);
}

/** Opens a session by its path. It is closed after printing. */
export async function openSessionFile(
  { io, keepOpen, openKept }: SessionOpener,
  file: string,
  { lenient }: LenientFlag = {},
): Promise<OpenSession> {
  const session = await (openKept ? openKept(file) : keepOpen(await openForCommand(io, file)));
  return lenient ? toLenient(session) : session;
}

/** The flag `--lenient`, in a command that has it. */
interface LenientFlag {
  readonly lenient?: boolean | undefined;
}
