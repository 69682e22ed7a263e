import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { type Io, noHome, sessionsFolder } from '#platform/io.js';
import { peek } from '#session/scan/header.js';

/** The surroundings in which a session's name is resolved. */
export type Surroundings = Pick<Io, 'env' | 'home' | 'cwd' | 'files'>;

const MOST_CANDIDATES = 5;

/** A file in Pi's session folder, with the session id that its name ends in. */
interface SessionFile {
  readonly file: string;
  readonly id: string;
}

/**
 * The file that a user means: a path, `-`, `latest`, or a session id or a unique prefix of it. In a command that Pi runs,
 * `latest` is the session of that Pi; otherwise ids and `latest` are looked up in Pi's session folder. Throws a CtxError
 * (input) that lists the candidates.
 */
export function locateSession(io: Surroundings, name: string): string {
  if (name === '-' || io.files.exists(name)) return name;
  const running = name === 'latest' ? runningSession(io) : null;
  if (running !== null) return running;
  if (name !== 'latest' && /[/\\]|\.jsonl$/.test(name)) return name;
  const where = sessionsFolder(io);
  if (where === null) throw noHome();
  if (name === 'latest') return latest(io, where);
  const all = name === '' ? [] : [...sessionFiles(io)];
  const found = all.filter(({ id }) => id === name);
  const candidates = found.length > 0 ? found : all.filter(({ id }) => id.startsWith(name));
  const [candidate, ...others] = candidates;
  if (candidate && others.length === 0) return candidate.file;
  if (!candidate)
    throw new CtxError('input', `no file and no session id "${name}"`, {
      where,
      hint: 'name a file, an id, "latest", or - for standard input',
    });
  const ids = candidates.slice(0, MOST_CANDIDATES).map(({ id }) => id);
  throw new CtxError('input', `session id "${name}" is ambiguous`, {
    where,
    hint: `name one of ${candidates.length}: ${ids.join(', ')}`,
  });
}

/** Like `locateSession`, but null for a name without a session. */
export function foundSession(io: Surroundings, name: string): string | null {
  try {
    return locateSession(io, name);
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}

/**
 * The session that a command writes to: the named one, else the latest one of the working directory. Throws a CtxError:
 * usage if neither exists, else like `locateSession`.
 */
export function locateToWrite(io: Surroundings, name: string | undefined): string {
  if (name !== undefined) return locateSession(io, name);
  const file = locateSession(io, 'latest');
  if (file !== runningSession(io) && !isOfFolder(file, io.cwd)) throw unnamed(io);
  return file;
}

/** The session of the Pi that runs this command, as its shell tools name it; null before Pi has written it. */
function runningSession({ env, files }: Surroundings): string | null {
  const { PI_SESSION_FILE: file = '' } = env;
  return file !== '' && files.exists(file) ? file : null;
}

function unnamed(io: Surroundings): CtxError {
  const [newest, ...others] = newestFirst(io, [...sessionFiles(io)]).slice(0, MOST_CANDIDATES);
  const names = [`latest (${newest?.id}, in ${path.dirname(newest?.file ?? '')})`, ...others.map(({ id }) => id)];
  return new CtxError('usage', 'the current folder has no session; one of another folder has to be named', {
    where: io.cwd,
    hint: `name a file, or one of: ${names.join(', ')}`,
  });
}

/** The session that was written last, in the current directory's folder if there is one. */
function latest(io: Surroundings, where: string): string {
  const all = [...lineFiles(io)];
  const local = all.filter((file) => isOfFolder(file, io.cwd));
  const newest = newestSession(io, local) ?? newestSession(io, all);
  if (newest !== null) return newest;
  throw new CtxError('input', 'Pi has no sessions yet', {
    where,
    hint: 'name a session file or latest:all, set PI_CODING_AGENT_DIR, or list other agents: ctx ls --agent all',
  });
}

const HEADER_BYTES = 65_536;

/** Whether a file that is not named as Pi names its sessions is one, as `ctx ls` decides. */
function isSession({ files }: Surroundings, file: string): boolean {
  const bytes = files.beginning(file, HEADER_BYTES);
  const found = peek(bytes, bytes.length < HEADER_BYTES);
  return found !== null && found !== 'no-session';
}

/** The newest session of these files; null without one. */
function newestSession(io: Surroundings, files: readonly string[]): string | null {
  const found = newestFirst(
    io,
    files.map((file) => ({ file })),
  ).find(({ file }) => idIn(file) !== null || isSession(io, file));
  return found?.file ?? null;
}

/** Sorts files by age, without those that no longer exist. */
function newestFirst<Named extends { readonly file: string }>(
  io: Surroundings,
  files: readonly Named[],
): readonly Named[] {
  return files
    .map((named) => ({ named, modified: io.files.modified(named.file) }))
    .filter(({ modified }) => modified > 0)
    .toSorted((a, b) => b.modified - a.modified)
    .map(({ named }) => named);
}

function isOfFolder(file: string, cwd: string): boolean {
  return path.basename(path.dirname(file)) === folderOf(cwd);
}

/** The session files that ids can name; none if the sessions folder is unknown. */
export function* sessionFiles(io: Surroundings): Generator<SessionFile> {
  for (const file of lineFiles(io)) {
    const id = idIn(file);
    if (id !== null) yield { file, id };
  }
}

/** The session id that Pi's name of a session file ends in; null for another name. */
function idIn(file: string): string | null {
  return /^[^_]*_(.+)\.jsonl$/.exec(path.basename(file))?.[1] ?? null;
}

/** All files in the folders of Pi's sessions folder that may be sessions. */
function* lineFiles(io: Surroundings): Generator<string> {
  const root = sessionsFolder(io);
  if (root === null) return;
  for (const folder of io.files.list(root)) {
    for (const name of io.files.list(path.join(root, folder))) {
      if (name.endsWith('.jsonl')) yield path.join(root, folder, name);
    }
  }
}

/** The name that Pi gives the folder of a working directory. */
function folderOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}

/**
 * The names of session files on a command line, quoted for a shell: the shortest unique prefix of the id if the id can
 * be looked up, else a path relative to the current directory.
 */
export function handlesFrom(io: Io): (file: string) => string {
  const here = io.cwd || '/';
  const folder = sessionsFolder(io);
  const sessions = folder === null ? null : path.resolve(here, folder);
  let prefixes: ReadonlyMap<string, string> | null = null;
  return (file) => {
    const place = path.resolve(here, file);
    if (sessions === null || wayBelow(sessions, place) === null) return quoted(pathFrom(io.cwd, place));
    prefixes ??= prefixesOf(io, here);
    return prefixes.get(place) ?? quoted(pathFrom(io.cwd, place));
  };
}

const SHORTEST_PREFIX = 8;
/** A name that is no flag and no path, and needs no quotes in a shell. */
const TYPED_AS_IT_IS = /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N}_.-]*$/u;

/** The shortest unique id prefix of each file. A file whose id is not unique has none. */
function prefixesOf(io: Io, here: string): ReadonlyMap<string, string> {
  const all = [...sessionFiles(io)].toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  const prefixes = new Map<string, string>();
  for (const [at, { file, id }] of all.entries()) {
    const before = all[at - 1]?.id;
    const after = all[at + 1]?.id;
    if (id === before || id === after) continue;
    const shared = Math.max(sharedLength(id, before), sharedLength(id, after));
    const prefix = id.slice(0, Math.max(SHORTEST_PREFIX, shared + 1));
    const isName = TYPED_AS_IT_IS.test(prefix) && prefix !== 'latest' && !prefix.endsWith('.jsonl');
    if (isName) prefixes.set(path.resolve(here, file), prefix);
  }
  return prefixes;
}

function sharedLength(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}

function pathFrom(cwd: string, place: string): string {
  const way = cwd === '' ? null : wayBelow(cwd, place);
  if (way === null) return place;
  return way.startsWith('-') ? `./${way}` : way;
}

/** The relative path from a folder to a place below it; null for other places. */
function wayBelow(folder: string, place: string): string | null {
  const way = path.relative(folder, place);
  const isOutside = way === '' || way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
  return isOutside ? null : way;
}

const NEEDS_NO_QUOTES = /^[\p{L}\p{N}_@%+=:,./-][\p{L}\p{M}\p{N}_@%+=:,./~-]*$/u;

/** A file name for a shell, in single quotes if necessary. */
function quoted(file: string): string {
  return NEEDS_NO_QUOTES.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}
