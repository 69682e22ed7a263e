import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { buildNoHomeError, findSessionsFolder, nameSessionsFolder } from '#session/agents/pi-folders.js';
import { parentSessionOf } from '#session/scan/header.js';
import { peekSession } from '#session/scan/peek.js';
import type { Session } from '#session/session.js';
import { listLineFiles, readIdInName } from './sessions/pi-files.js';
import type { Surroundings } from './surroundings.js';

/**
 * The running session, else the newest of the working directory, of any agent; else the newest of Pi, or of another
 * agent.
 */
export async function findLatest(io: Surroundings): Promise<string> {
  const here = await findLatestHere(io);
  const file = here ?? findLatestOfPi(io) ?? (await loadNewest()).findNewestFile(io);
  if (file !== null) return file;
  const hint = 'name a session file, or set PI_CODING_AGENT_DIR';
  const message = 'there are no sessions of Pi or of another agent yet';
  throw new CtxError('input', message, { where: requirePiFolder(io), hint });
}

/** The running session, else the newest of the working directory, of any agent; null if there is none. */
export async function findLatestHere(io: Surroundings): Promise<string | null> {
  const running = await findRunningSession(io);
  if (running !== null) return running;
  const ofPi = findSessionsFolder(io) === null ? null : findLatestOfFolder(io);
  const since = ofPi === null ? 0 : io.files.modified(ofPi);
  return (await loadNewest()).findNewestOfFolder(io, since) ?? ofPi;
}

/**
 * The session of the agent that runs this command, as its shell tools name it; null before the agent has written it.
 */
async function findRunningSession(io: Surroundings): Promise<string | null> {
  const { PI_SESSION_FILE: file = '' } = io.env;
  if (file !== '' && io.files.exists(file)) return file;
  return path.isAbsolute(io.home) ? (await loadAgentIds()).findRunningAgentSession(io) : null;
}

/** Loaded for a name that is no session of Pi, which few calls have. */
const loadAgentIds = () => import('./sessions/agent-ids.js');
/** Loaded for a session without a name. */
const loadNewest = () => import('./sessions/newest-session.js');

/**
 * The session of Pi that was written last, in the current directory's folder if there is one; null without sessions.
 */
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

function findNewest(io: Surroundings, files: readonly string[]): string | null {
  const found = sortNewestFirst(
    io,
    files.map((file) => ({ file })),
  ).find(({ file }) => readIdInName(file) !== null || isSession(io, file));
  return found?.file ?? null;
}

/** The bytes that are read to find a header. */
const HEADER_BYTES = 65_536;

/** Whether a file that is not named as Pi names its sessions is one, as `ctx ls` decides. */
function isSession({ files }: Surroundings, file: string): boolean {
  const bytes = files.beginning(file, HEADER_BYTES);
  const found = peekSession(bytes, bytes.length < HEADER_BYTES);
  return found !== null && found !== 'no-session';
}

/**
 * The reason why a session was chosen that a user did not name; null for one of the working directory, as
 * expected. A copy of another agent's session names its original, since it is the newer of both. `agents`: those among whose
 * sessions it is the newest, in words.
 */
export async function explainChoice(
  io: Surroundings,
  { file, header, agent, source: { size } }: Pick<Session, 'file' | 'header' | 'agent' | 'source'>,
  agents = agent ? 'all agents' : 'Pi',
): Promise<string | null> {
  if (file === (await findRunningSession(io))) return null;
  const isOfCwd = header.cwd === io.cwd || isOfFolder(file, io.cwd);
  if (isOfCwd || (agent && (await loadNewest()).isOfWorkingFolder(io, { file, size }))) {
    const original = agent && !agent.isSubagent ? parentSessionOf(header.fields) : null;
    return original === null ? null : `the newest session of this folder, forked from ${nameOriginal(original)}`;
  }
  return `this folder has no session: this is the newest of ${agents}`;
}

/**
 * The beginning of the id of a session that another one names by its id or file. Ids of version 7 begin with their
 * time.
 */
function nameOriginal(original: string): string {
  const id = original.replace(/^.*[\\/]/, '').replace(/\.jsonl$/, '');
  return id.slice(0, /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id) ? 13 : 8);
}

/** Whether a file is in the folder that Pi gives a working directory. */
function isOfFolder(file: string, cwd: string): boolean {
  return path.basename(path.dirname(file)) === nameSessionsFolder(cwd);
}

/** Sorts files by age, without those that no longer exist. */
export function sortNewestFirst<Named extends { readonly file: string }>(io: Surroundings, files: readonly Named[]) {
  return files
    .map((named) => ({ named, modified: io.files.modified(named.file) }))
    .filter(({ modified }) => modified > 0)
    .toSorted((a, b) => b.modified - a.modified)
    .map(({ named }) => named);
}

/** The folder in which Pi keeps its sessions. Throws a CtxError where it is unknown. */
export function requirePiFolder(io: Surroundings): string {
  const folder = findSessionsFolder(io);
  if (folder === null) throw buildNoHomeError();
  return folder;
}
