import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { type Io, noHomeError, sessionsFolder } from '#platform/io.js';
import { peekSession } from '#session/scan/peek.js';

/** The surroundings in which a session's name is resolved. */
export type Surroundings = Pick<Io, 'env' | 'home' | 'cwd' | 'files'>;

const MOST_CANDIDATES = 5;

/** A file in Pi's session folder, with the session id that its name ends in. */
interface SessionFile {
  readonly file: string;
  readonly id: string;
}

/**
 * The file that a user means: a path, `-`, `latest`, `latest:AGENT`, or a session id or a unique prefix of it. In a command
 * that Pi runs, `latest` is the session of that Pi; otherwise ids and `latest` are looked up in Pi's session folder, and
 * after that in the folders of other agents. Throws a CtxError (input) that lists the candidates.
 */
export async function locateSession(io: Surroundings, name: string): Promise<string> {
  if (name === '-' || io.files.exists(name)) return name;
  if (name === 'latest') return latest(io);
  if (name.startsWith(OF_AGENT)) return (await otherAgents()).findLatestSession(io, name.slice(OF_AGENT.length));
  if (/[/\\]|\.jsonl$/.test(name)) return name;
  const where = folderOfPi(io);
  const file = ofPi(io, name) ?? (FOREIGN_ID.test(name) ? await ofOtherAgents(io, name) : null);
  if (file !== null) return file;
  const id = /^[0-9a-f]{1,7}$/.test(name) ? 'eight characters of an id of another agent' : '"latest", or an id';
  const hint = `name a file, ${id}: ctx ls lists those of Pi, ctx ls --agent all those of all agents`;
  throw new CtxError('input', `no file and no session id "${name}"`, { where, hint });
}

/** Like `locateSession`, but null for a name without a session. */
export async function findSession(io: Surroundings, name: string): Promise<string | null> {
  try {
    return await locateSession(io, name);
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}

const OF_AGENT = 'latest:';
/** As Claude Code, Codex and Gemini CLI write ids, or at least eight characters of one. */
const FOREIGN_ID = /^(?:agent-[\w-]{6,}|[0-9a-f]{8}(?:-[0-9a-f]*){0,4})$/;
/** Loaded for a name that is no session of Pi, which few calls have. */
const otherAgents = () => import('./sessions/agent-files.js');

function folderOfPi(io: Surroundings): string {
  const folder = sessionsFolder(io);
  if (folder === null) throw noHomeError();
  return folder;
}

/** Tests whether a word is the id of one session of Pi, or a prefix of it. */
export function isPiSessionId(io: Surroundings, word: string): boolean {
  const [first, ...others] = sessionsOfPi(io, word);
  return first !== undefined && others.length === 0;
}

/** The session of Pi that an id or a prefix names; null if there is none. */
function ofPi(io: Surroundings, name: string): string | null {
  const candidates = sessionsOfPi(io, name);
  if (candidates.length < 2) return candidates[0]?.file ?? null;
  const ids = candidates.slice(0, MOST_CANDIDATES).map(({ id }) => id);
  const more = candidates.length > ids.length ? `, and ${candidates.length - ids.length} more` : '';
  const hint = `name one of ${candidates.length}: ${ids.join(', ')}${more}`;
  throw new CtxError('input', `session id "${name}" is ambiguous`, { where: folderOfPi(io), hint });
}

/** The session with this id, or else those whose ids begin with it. */
function sessionsOfPi(io: Surroundings, name: string): readonly SessionFile[] {
  const all = name === '' ? [] : [...listPiSessionFiles(io)];
  const found = all.filter(({ id }) => id === name);
  return found.length > 0 ? found : all.filter(({ id }) => id.startsWith(name));
}

async function ofOtherAgents(io: Surroundings, name: string): Promise<string | null> {
  const [file, ...others] = (await otherAgents()).findFilesById(io, name);
  if (others.length === 0) return file ?? null;
  throw new CtxError('input', `session id "${name}" is ambiguous`, { hint: `name a file, such as ${file}` });
}

/**
 * The session that a command writes to: the named one, else the latest one of the working directory. Throws a CtxError:
 * usage if neither exists, else like `locateSession`.
 */
export async function locateToWrite(io: Surroundings, name: string | undefined): Promise<string> {
  if (name !== undefined) return locateSession(io, name);
  const file = runningSession(io) ?? latestOfPi(io);
  if (file === null)
    throw new CtxError('input', 'Pi has no sessions yet', { where: folderOfPi(io), hint: await otherThanPi(io) });
  if (file !== runningSession(io) && !isOfFolder(file, io.cwd)) throw unnamed(io);
  return file;
}

/** How to name a session where Pi has none: by the agent that has the most. */
async function otherThanPi(io: Surroundings): Promise<string> {
  const [most] = (await otherAgents()).countAgentSessions(io);
  if (!most) return 'name a session file';
  return `name a session, such as latest:${most.agent.name} for the newest of ${most.agent.title}`;
}

/** The session of the Pi that runs this command, as its shell tools name it; null before Pi has written it. */
function runningSession({ env, files }: Surroundings): string | null {
  const { PI_SESSION_FILE: file = '' } = env;
  return file !== '' && files.exists(file) ? file : null;
}

function unnamed(io: Surroundings): CtxError {
  const [newest, ...others] = newestFirst(io, [...listPiSessionFiles(io)]).slice(0, MOST_CANDIDATES);
  const names = [`latest (${newest?.id}, in ${path.dirname(newest?.file ?? '')})`, ...others.map(({ id }) => id)];
  return new CtxError('usage', 'the current folder has no session; one of another folder has to be named', {
    where: io.cwd,
    hint: `name a file, or one of: ${names.join(', ')}`,
  });
}

/** The running or the newest session of Pi; the newest one of another agent if Pi has none. */
async function latest(io: Surroundings): Promise<string> {
  const file = runningSession(io) ?? latestOfPi(io) ?? (await otherAgents()).findNewestFile(io);
  if (file !== null) return file;
  const hint = 'name a session file, or set PI_CODING_AGENT_DIR';
  const message = 'there are no sessions of Pi or of another agent yet';
  throw new CtxError('input', message, { where: folderOfPi(io), hint });
}

/** The session of Pi that was written last, in the current directory's folder if there is one; null without sessions. */
function latestOfPi(io: Surroundings): string | null {
  folderOfPi(io);
  const all = [...lineFiles(io)];
  const local = all.filter((file) => isOfFolder(file, io.cwd));
  return newestSession(io, local) ?? newestSession(io, all);
}

const HEADER_BYTES = 65_536;

/** Whether a file that is not named as Pi names its sessions is one, as `ctx ls` decides. */
function isSession({ files }: Surroundings, file: string): boolean {
  const bytes = files.beginning(file, HEADER_BYTES);
  const found = peekSession(bytes, bytes.length < HEADER_BYTES);
  return found !== null && found !== 'no-session';
}

function newestSession(io: Surroundings, files: readonly string[]): string | null {
  const found = newestFirst(
    io,
    files.map((file) => ({ file })),
  ).find(({ file }) => idIn(file) !== null || isSession(io, file));
  return found?.file ?? null;
}

/** Sorts files by age, without those that no longer exist. */
function newestFirst<Named extends { readonly file: string }>(io: Surroundings, files: readonly Named[]) {
  return files
    .map((named) => ({ named, modified: io.files.modified(named.file) }))
    .filter(({ modified }) => modified > 0)
    .toSorted((a, b) => b.modified - a.modified)
    .map(({ named }) => named);
}

/** Whether a file is in the folder that Pi gives a working directory. */
function isOfFolder(file: string, cwd: string): boolean {
  return path.basename(path.dirname(file)) === `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}

/** The session files that ids can name; none if the sessions folder is unknown. */
export function* listPiSessionFiles(io: Surroundings): Generator<SessionFile> {
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

/**
 * The names of session files on a command line, quoted for a shell: the shortest unique prefix of the id if the id can
 * be looked up, else a path relative to the current directory.
 */
export function createPiHandles(io: Io): (file: string) => string {
  const here = io.cwd || '/';
  const folder = sessionsFolder(io);
  const sessions = folder === null ? null : path.resolve(here, folder);
  let prefixes: ReadonlyMap<string, string> | null = null;
  return (file) => {
    const place = path.resolve(here, file);
    if (sessions === null || wayBelow(sessions, place) === null) return toShellWord(pathFrom(io.cwd, place));
    prefixes ??= prefixesOf(io, here);
    return prefixes.get(place) ?? toShellWord(pathFrom(io.cwd, place));
  };
}

const SHORTEST_PREFIX = 8;
/** A name that is no flag and no path, and needs no quotes in a shell. */
const TYPED_AS_IT_IS = /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N}_.-]*$/u;

/** The shortest unique id prefix of each file. A file whose id is not unique has none. */
function prefixesOf(io: Io, here: string): ReadonlyMap<string, string> {
  const all = [...listPiSessionFiles(io)].toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  const prefixes = new Map<string, string>();
  for (const [at, { file, id }] of all.entries()) {
    const before = all[at - 1]?.id;
    const after = all[at + 1]?.id;
    if (id === before || id === after) continue;
    const shared = Math.max(commonPrefixLength(id, before), commonPrefixLength(id, after));
    const prefix = id.slice(0, Math.max(SHORTEST_PREFIX, shared + 1));
    const isName = TYPED_AS_IT_IS.test(prefix) && prefix !== 'latest' && !prefix.endsWith('.jsonl');
    if (isName) prefixes.set(path.resolve(here, file), prefix);
  }
  return prefixes;
}

/** The length of the beginning that two ids share. */
export function commonPrefixLength(id: string, other = ''): number {
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
