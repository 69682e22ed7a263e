import path from 'node:path';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { choosePathRules } from '#base/paths.js';
import { isInPeriod, type Period } from '#base/time.js';
import { openSession, type OpenSession, withSession } from '#context/open.js';
import type { FolderWalk, FoundFile } from '#platform/files/walk-folder.js';
import { type Files, type Io, sessionsFolder } from '#platform/io.js';
import { detectOtherFile } from '#session/scan/other-files.js';
import { peekSession, type SessionPeek } from '#session/scan/peek.js';
import { createPiHandles, locateSession } from '../locate.js';
import { isLimitedPeriod, readLastEntryTime } from './last-entry.js';

/** A file to read, with its size, or 0 if that is unknown. */
export interface NamedFile {
  readonly file: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * The files that a command line names: paths, folders with their subfolders, patterns, session ids, `latest`, `all`,
 * `all:AGENT` and `-`, in this order and each file once; a name after a `!` excludes files. `period`: only sessions whose
 * last entry is in it. Throws a CtxError (input) for a name without a file.
 */
export async function findNamedFiles(
  io: Io,
  names: readonly string[],
  period: Period = {},
): Promise<readonly NamedFile[]> {
  const known = new Map<string, NamedFile>();
  const isLeftOut = (name: string): boolean => name.startsWith('!') && !io.files.exists(name);
  for (const name of names.filter((one) => !isLeftOut(one))) {
    for (const found of await filesOf(io, name)) {
      const place = placeOf(io, found);
      if (!known.has(place)) known.set(place, found);
    }
  }
  for (const name of names.filter(isLeftOut)) {
    for (const found of await filesLeftOut(io, name.slice(1))) known.delete(placeOf(io, found));
  }
  const isWithin = ({ file }: NamedFile): boolean =>
    !isLimitedPeriod(period) || file === '-' || isInPeriod(readLastEntryTime(io.files, { file }), period);
  const files = [...known.values()].filter(isWithin);
  if (files.length > 0 || names.length === 0) return files;
  const where = names.join(' ');
  if (known.size === 0)
    throw new CtxError('input', 'no file is left', { where, hint: 'name files beside those to leave out' });
  throw noSessionError(where);
}

export function noSessionError(where: string): CtxError {
  const hint = 'choose other times for --since and --until: they are compared with the last entry of each session';
  return new CtxError('input', 'no session was written in that time', { where, hint });
}

function placeOf({ cwd }: Io, { file }: NamedFile): string {
  return file === '-' ? file : path.resolve(cwd || '/', file);
}

/** There may be nothing of the kind today. */
async function filesLeftOut(io: Io, name: string): Promise<readonly NamedFile[]> {
  try {
    return await filesOf(io, name);
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return [];
    throw error;
  }
}

/**
 * The files of a folder and its subfolders that are read as sessions: those that end in `.jsonl` or `.jsonl.zst`, but
 * for logs that programs write beside their sessions, and of those that end in `.json` the documents of an agent, by
 * their content. A path of a file is that file, whatever its name.
 */
export async function findSessionFiles(io: Pick<Io, 'files'>, folder: string): Promise<FolderWalk> {
  const all = walkSessionFiles(io, folder);
  const walk = { ...all, files: all.files.filter((found) => found.file === folder || !isLog(io, found)) };
  const isOpen = ({ file }: FoundFile): boolean => file !== folder && file.endsWith('.json');
  if (!walk.files.some(isOpen)) return walk;
  const { isSessionDocument } = await import('./agent-files.js');
  return { ...walk, files: walk.files.filter((found) => !isOpen(found) || isSessionDocument(io, found)) };
}

/** Tests whether a program wrote a file beside its sessions. */
function isLog({ files }: Pick<Io, 'files'>, { file }: FoundFile): boolean {
  return file.endsWith('.jsonl') && detectOtherFile(files.beginning(file, USUAL_BYTES))?.isLog === true;
}

/** The files in a folder and its subfolders whose names may be those of sessions. */
export function walkSessionFiles({ files }: Pick<Io, 'files'>, folder: string): FolderWalk {
  const walk = files.walk(folder, { pattern: SESSION_FILE });
  if (!walk.files.some(({ file }) => file.endsWith(COMPRESSED))) return walk;
  // Codex decompresses a rollout to go on with it, and removes the compressed file after that.
  const isPlain = new Set(walk.files.map(({ file }) => `${file}${COMPRESSED}`));
  return { ...walk, files: walk.files.filter(({ file }) => !isPlain.has(file)) };
}

const COMPRESSED = '.zst';
/** The names of files that may be sessions. */
const SESSION_FILE = /\.json(?:l(?:\.zst)?)?$/;

/** A pattern of names, or the sessions of all agents or of one. */
const OF_MANY = /[*?[{]|^all(?::|$)/;

/** Tests whether a name that is no file may mean several. */
export function mayMeanMany({ files }: Io, name: string): boolean {
  return files.exists(name) ? files.walk(name).isFolder : OF_MANY.test(name);
}

async function filesOf(io: Io, name: string): Promise<readonly NamedFile[]> {
  if (OF_MANY.test(name) && !io.files.exists(name)) {
    const { all, agent } = /^(?<all>all)(?::(?<agent>.*))?$/.exec(name)?.groups ?? {};
    return all === undefined ? matchedFiles(io, name) : (await import('./agent-files.js')).findAllSessions(io, agent);
  }
  const file = await locateSession(io, name);
  if (file === '-') return [{ file, size: 0 }];
  const { files, unreadable, isFolder } = await findSessionFiles(io, file);
  const found = [...files, ...unreadable.map((folder) => ({ file: folder, size: 0 }))];
  if (found.length > 0) return found.toSorted((a, b) => (a.file < b.file ? -1 : 1));
  // Opening it reports the error if it is neither a file nor a folder.
  if (!isFolder) return [{ file, size: 0 }];
  throw new CtxError('input', 'no session file in this folder', { where: file, hint: 'name another one, or a file' });
}

async function matchedFiles(io: Io, pattern: string): Promise<readonly NamedFile[]> {
  const names = await io.files.glob(pattern, io.cwd || '/');
  const walks = await Promise.all(names.toSorted().map((name) => findSessionFiles(io, name)));
  if (names.length > 0) return walks.flatMap(({ files }) => files);
  throw new CtxError('input', 'no file matches this pattern', {
    where: pattern,
    hint: 'quote it, and write ** for any folders: "sessions/**/*.jsonl"',
  });
}

/** The name of a session for other commands: a short id where it has one, else a path. */
export type FindHandle = (file: string) => string;

/** The names of sessions for other commands, with the ids of those in the folders of other agents. */
export async function createHandles(io: Io, { isOfPi = false } = {}): Promise<FindHandle> {
  const handleOf = createPiHandles(io);
  if (isOfPi) return handleOf;
  const ids = (await import('./agent-files.js')).listAgentHandles(io);
  return (file) => ids.get(file) ?? handleOf(file);
}

/** Warnings about sessions that could not be read, and one about those with damaged places. */
export function listFileWarnings(
  unreadable: readonly { readonly file: string; readonly error: string }[],
  damaged: readonly string[],
): readonly Problem[] {
  const [first] = damaged;
  const what = `${pluralize(damaged.length, 'session')} with damaged places, the first: ${first}; see ctx check`;
  return [
    ...unreadable.map(({ file, error }) => buildWarning('unreadable-session', `${file}: ${error}`)),
    ...(first === undefined ? [] : [buildWarning('damaged-session', what)]),
  ];
}

/** The result for a file, or the reason why there is none. */
export type FileResult<Result> =
  | ({ readonly file: string; readonly ok: true } & Result)
  | { readonly file: string; readonly ok: false; readonly error: string };

/** Works on a session. A file that cannot be read is a result: its error would lose its kind on the way out of a thread. */
export async function withSessionFile<Result extends object>(
  files: Files,
  file: string,
  work: (session: OpenSession) => Promise<Result>,
): Promise<FileResult<Result>> {
  try {
    return { file, ok: true, ...(await withSession(openSession(file, files), work)) };
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return { file, ok: false, error: error.message };
    throw error;
  }
}

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
  if (files.length === 0 && !io.files.exists(folder)) throw missingFolderError(io, folder);
  const sessions: FoundSession[] = [];
  const rest: FoundFile[] = [];
  for (const found of files) {
    const header = found.file.endsWith('.json') ? 'no-session' : peekSessionHeader(io, found);
    if (header === 'no-session') rest.push(found);
    else sessions.push({ ...found, header, at: readLastEntryTime(io.files, found) });
  }
  if (rest.length === 0) return { sessions, others: rest, unreadable };
  const foreign = (await import('./agent-files.js')).detectSessions(io, rest);
  return { sessions: [...sessions, ...foreign.sessions], others: foreign.others, unreadable };
}

/** The error for a folder of sessions that does not exist. */
export function missingFolderError(io: Io, folder: string): CtxError {
  const hint =
    folder === sessionsFolder(io)
      ? 'Pi keeps its sessions there; name another folder, or set PI_CODING_AGENT_DIR'
      : "name a folder that holds sessions; Pi's own is found without a name, or by PI_CODING_AGENT_DIR";
  return new CtxError('input', 'no such folder', { where: folder, hint });
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

/** Tests whether a working directory is a folder or below it. Sessions may come from another kind of machine. */
export function createFolderTest(here: string, folder: string): (cwd: string | null) => boolean {
  const { isAbsolute, relative, resolve, sep } = choosePathRules(path.win32.isAbsolute(folder) ? folder : here);
  const root = resolve(here, folder);
  return (cwd) => {
    if (cwd === null) return false;
    const way = relative(root, cwd);
    return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
  };
}

/** A working directory with `~` for the home folder; empty if it is not known. */
export function formatFolder({ home }: Io, cwd: string | null): string {
  if (cwd === null) return '';
  if (home === '') return cwd;
  return cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
}
