import path from 'node:path';
import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import { noHomeError, sessionsFolder, sessionsFolderName } from '#session/agents/pi-folders.js';
import { contentName } from '#session/scan/compression.js';
import { peekSession } from '#session/scan/peek.js';
import { listLineFiles, listPiSessionFiles, readIdInName, type SessionFile } from './sessions/pi-files.js';

/** The surroundings in which a session's name is resolved. */
export type Surroundings = Pick<Io, 'env' | 'home' | 'cwd' | 'files'>;

const MOST_CANDIDATES = 5;

/**
 * The file that a user means: a path, `-`, `findLatest`, `latest:AGENT`, or a session id or a unique prefix of it. In a command
 * that Pi runs, `findLatest` is the session of that Pi; otherwise ids and `findLatest` are looked up in Pi's session folder, and
 * after that in the folders of other agents. Throws a CtxError (input) that lists the candidates.
 */
export async function locateSession(io: Surroundings, name: string): Promise<string> {
  if (name === '-' || io.files.exists(name)) return name;
  if (name === 'latest') return findLatest(io);
  if (name.startsWith(OF_AGENT)) return (await loadAgentFiles()).findLatestSession(io, name.slice(OF_AGENT.length));
  if (/[/\\]|\.jsonl$/.test(contentName(name))) return name;
  const where = requirePiFolder(io);
  const file = findPiSession(io, name) ?? (AGENT_ID.test(name) ? await findAgentSession(io, name) : null);
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
const AGENT_ID = /^(?:agent-[\w-]{6,}|[0-9a-f]{8}(?:-[0-9a-f]*){0,4})$/;
/** Loaded for a name that is no session of Pi, which few calls have. */
const loadAgentFiles = () => import('./sessions/agent-files.js');

function requirePiFolder(io: Surroundings): string {
  const folder = sessionsFolder(io);
  if (folder === null) throw noHomeError();
  return folder;
}

/** Tests whether a word is the id of one session of Pi, or a prefix of it. */
export function isPiSessionId(io: Surroundings, word: string): boolean {
  const [first, ...others] = listPiMatches(io, word);
  return first !== undefined && others.length === 0;
}

/** The session of Pi that an id or a prefix names; null if there is none. */
function findPiSession(io: Surroundings, name: string): string | null {
  const candidates = listPiMatches(io, name);
  if (candidates.length < 2) return candidates[0]?.file ?? null;
  const ids = candidates.slice(0, MOST_CANDIDATES).map(({ id }) => id);
  const more = candidates.length > ids.length ? `, and ${candidates.length - ids.length} more` : '';
  const hint = `name one of ${candidates.length}: ${ids.join(', ')}${more}`;
  throw new CtxError('input', `session id "${name}" is ambiguous`, { where: requirePiFolder(io), hint });
}

/** The session with this id, or else those whose ids begin with it. */
function listPiMatches(io: Surroundings, name: string): readonly SessionFile[] {
  const all = name === '' ? [] : [...listPiSessionFiles(io)];
  const found = all.filter(({ id }) => id === name);
  return found.length > 0 ? found : all.filter(({ id }) => id.startsWith(name));
}

async function findAgentSession(io: Surroundings, name: string): Promise<string | null> {
  const [file, ...others] = (await loadAgentFiles()).findFilesById(io, name);
  if (others.length === 0) return file ?? null;
  throw new CtxError('input', `session id "${name}" is ambiguous`, { hint: `name a file, such as ${file}` });
}

/**
 * The session that a command writes to: the named one, else the latest one of the working directory. Throws a CtxError:
 * usage if neither exists, else like `locateSession`.
 */
export async function locateToWrite(io: Surroundings, name: string | undefined): Promise<string> {
  if (name !== undefined) return locateSession(io, name);
  const file = findRunningSession(io) ?? findLatestOfPi(io);
  if (file === null)
    throw new CtxError('input', 'Pi has no sessions yet', {
      where: requirePiFolder(io),
      hint: await suggestOtherAgent(io),
    });
  if (file !== findRunningSession(io) && !isOfFolder(file, io.cwd)) throw unnamedSessionError(io);
  return file;
}

/** How to name a session where Pi has none: by the agent that has the most. */
async function suggestOtherAgent(io: Surroundings): Promise<string> {
  const [most] = (await loadAgentFiles()).countAgentSessions(io);
  if (!most) return 'name a session file';
  return `name a session, such as latest:${most.agent.name} for the newest of ${most.agent.title}`;
}

/** The session of the Pi that runs this command, as its shell tools name it; null before Pi has written it. */
function findRunningSession({ env, files }: Surroundings): string | null {
  const { PI_SESSION_FILE: file = '' } = env;
  return file !== '' && files.exists(file) ? file : null;
}

function unnamedSessionError(io: Surroundings): CtxError {
  const [newest, ...others] = sortNewestFirst(io, [...listPiSessionFiles(io)]).slice(0, MOST_CANDIDATES);
  const names = [`latest (${newest?.id}, in ${path.dirname(newest?.file ?? '')})`, ...others.map(({ id }) => id)];
  return new CtxError('usage', 'the current folder has no session; one of another folder has to be named', {
    where: io.cwd,
    hint: `name a file, or one of: ${names.join(', ')}`,
  });
}

/** The running session of Pi, else the newest of the working directory, of any agent; else the newest of Pi, or of another agent. */
async function findLatest(io: Surroundings): Promise<string> {
  const here = await findLatestHere(io);
  const file = here ?? findLatestOfPi(io) ?? (await loadAgentFiles()).findNewestFile(io);
  if (file !== null) return file;
  const hint = 'name a session file, or set PI_CODING_AGENT_DIR';
  const message = 'there are no sessions of Pi or of another agent yet';
  throw new CtxError('input', message, { where: requirePiFolder(io), hint });
}

/** The running session of Pi, else the newest of the working directory, of any agent; null if there is none. */
export async function findLatestHere(io: Surroundings): Promise<string | null> {
  const running = findRunningSession(io);
  if (running !== null) return running;
  const ofPi = sessionsFolder(io) === null ? null : findLatestOfFolder(io);
  const since = ofPi === null ? 0 : io.files.modified(ofPi);
  return (await loadAgentFiles()).findNewestOfFolder(io, since) ?? ofPi;
}

/** The session of Pi that was written last, in the current directory's folder if there is one; null without sessions. */
function findLatestOfPi(io: Surroundings): string | null {
  requirePiFolder(io);
  return findLatestOfFolder(io) ?? findNewest(io, [...listLineFiles(io)]);
}

function findLatestOfFolder(io: Surroundings): string | null {
  return findNewest(
    io,
    [...listLineFiles(io)].filter((file) => isOfFolder(file, io.cwd)),
  );
}

const HEADER_BYTES = 65_536;

/** Whether a file that is not named as Pi names its sessions is one, as `ctx ls` decides. */
function isSession({ files }: Surroundings, file: string): boolean {
  const bytes = files.beginning(file, HEADER_BYTES);
  const found = peekSession(bytes, bytes.length < HEADER_BYTES);
  return found !== null && found !== 'no-session';
}

function findNewest(io: Surroundings, files: readonly string[]): string | null {
  const found = sortNewestFirst(
    io,
    files.map((file) => ({ file })),
  ).find(({ file }) => readIdInName(file) !== null || isSession(io, file));
  return found?.file ?? null;
}

/** Sorts files by age, without those that no longer exist. */
function sortNewestFirst<Named extends { readonly file: string }>(io: Surroundings, files: readonly Named[]) {
  return files
    .map((named) => ({ named, modified: io.files.modified(named.file) }))
    .filter(({ modified }) => modified > 0)
    .toSorted((a, b) => b.modified - a.modified)
    .map(({ named }) => named);
}

/** Whether a file is in the folder that Pi gives a working directory. */
function isOfFolder(file: string, cwd: string): boolean {
  return path.basename(path.dirname(file)) === sessionsFolderName(cwd);
}
