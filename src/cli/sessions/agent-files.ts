import { createHash } from 'node:crypto';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { FolderWalk, FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { AGENTS, ALL_AGENTS, findAgents, isAgentDocument, parseBeforeMessages } from '#session/agents/index.js';
import { buildNoHomeError, findSessionsFolder } from '#session/agents/pi-folders.js';
import { type AgentPeek, peekAgentSession } from '#session/agents/reader.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { toContentName } from '#session/scan/compression.js';
import type { Surroundings } from '../locate.js';
import { findSessions, type FoundSession, type FoundSessions } from './find-sessions.js';
import { commonPrefixLength } from './handles.js';
import { readLastEntryTime } from './last-entry.js';
import { listPiSessionFiles } from './pi-files.js';
import { isDocumentName, type NamedFile, peekSessionHeader, walkSessionFiles } from './session-files.js';

/**
 * The sessions of an agent in its own folders, where the names of files tell sessions from the rest: of `pi`, of a name
 * of `findAgents`, or of `all`. Throws a CtxError (usage) for an unknown name.
 */
export async function findAgentSessions(io: Io, name: string, where?: string): Promise<FoundSessions> {
  const agents = name === PI ? [] : findAgents(name, where);
  const walks = agents.map((agent) => walkAgent(io, agent));
  const sessions = walks.flatMap(({ files }) => detectSessions(io, files, agents).sessions);
  const own = findPiFolder(io, name);
  const ofPi =
    own !== null && io.files.exists(own) ? await findSessions(io, own) : { sessions: [], others: [], unreadable: [] };
  return {
    sessions: [...ofPi.sessions, ...sessions],
    others: ofPi.others,
    unreadable: [...ofPi.unreadable, ...walks.flatMap(({ unreadable }) => unreadable)],
  };
}

const PI = 'pi';

/** The folder of Pi's sessions, if a name means them. */
function findPiFolder(io: Surroundings, name: string): string | null {
  return name === PI || name === ALL_AGENTS ? findSessionsFolder(io) : null;
}

/** The sessions that `all` or `all:NAME` means. Throws a CtxError: usage for an unknown agent, input if there is none. */
export async function findAllSessions(io: Io, name = ALL_AGENTS): Promise<readonly FoundSession[]> {
  const where = name === ALL_AGENTS ? name : `all:${name}`;
  const { sessions } = await findAgentSessions(io, name, where);
  if (sessions.length === 0) throw buildNoSessionError(where);
  return sessions;
}

/** Files by their content: sessions of these agents, also those that cannot be read, and others. */
export function detectSessions(
  io: Pick<Io, 'files'>,
  files: readonly FoundFile[],
  agents: readonly AgentFormat[] = AGENTS,
): Pick<FoundSessions, 'sessions' | 'others'> {
  const sessions: FoundSession[] = [];
  const others: FoundFile[] = [];
  for (const found of files) {
    const header = readAgentHeader(io, found, agents);
    if (header === null && !isUnreadable(io, found)) others.push(found);
    else sessions.push({ ...found, header, at: readLastEntryTime(io.files, found) });
  }
  return { sessions, others };
}

/** Opening it reports the reason, such as a compressed file that is damaged. */
function isUnreadable({ files }: Pick<Io, 'files'>, { file, size }: NamedFile): boolean {
  return size > 0 && files.beginning(file, 1).length === 0;
}

/** The header of a session of one of these agents; null if there is none. */
export function readAgentHeader(
  { files }: Pick<Io, 'files'>,
  { file, size }: NamedFile,
  agents: readonly AgentFormat[] = AGENTS,
): AgentPeek | null {
  if (!isDocumentName(file)) return peekAgentSession(files.beginning(file, BEGINNING_BYTES), file, agents);
  // Most have their messages soon, and one in a database is built as far as it is read.
  const short = readBeforeMessages(files, file, FEW_BYTES) ?? readBeforeMessages(files, file, BEGINNING_BYTES);
  const header = short && peekAgentSession(new TextEncoder().encode(JSON.stringify(short)), file, agents);
  return header ?? peekAgentSession(files.beginning(file, limitContentBytes({ file, size })), file, agents);
}

function readBeforeMessages(files: Io['files'], file: string, most: number): JsonObject | null {
  return parseBeforeMessages(new TextDecoder().decode(files.beginning(file, most)));
}

const FEW_BYTES = 4096;
const BEGINNING_BYTES = 1 << 16;
const MOST_BYTES = 1 << 28;

/** The size of a file; of a compressed one, which has no known size, the largest that is read. */
function limitContentBytes({ file, size }: NamedFile): number {
  return toContentName(file) === file ? Math.min(size, MOST_BYTES) : MOST_BYTES;
}

/** Whether a session has messages; assumed of a large one whose beginning has none. */
function hasMessages(
  { files }: Pick<Io, 'files'>,
  { file, size }: NamedFile,
  { agent, header }: { readonly agent: AgentFormat; readonly header: object },
): boolean {
  if ('hasMessages' in header && header.hasMessages === true) return true;
  if (size > MOST_BYTES_WITHOUT_MESSAGES || toContentName(file) !== file) return true;
  // The messages of a document are not in what was read of it.
  return peekAgentSession(files.beginning(file, size), file, [agent])?.hasMessages ?? true;
}

const MOST_BYTES_WITHOUT_MESSAGES = 1 << 20;

/** Tests whether a `.json` file is a session; most are decided by their beginning. */
export function isSessionDocument({ files }: Pick<Io, 'files'>, found: FoundFile): boolean {
  const { file } = found;
  const read = (start: number, end: number): Uint8Array => files.beginning(file, end).subarray(start);
  return isAgentDocument({ ...toByteSource(new Uint8Array()), size: limitContentBytes(found), read });
}

/** The files of sessions whose id begins with a text, the newest of each. Their paths contain the ids. */
export function findFilesById(io: Surroundings, id: string): readonly string[] {
  const found = listAgentFiles(io).filter((of) => readIds(of).some((one) => isNamed(id, one)));
  return keepNewestOfThreads(found.map(({ file }) => file));
}

/**
 * The session of the agent that runs this command, as the environment names it; null if there is none. Where an agent runs
 * another one, both are named, and the one written last is meant.
 */
export function findRunningAgentSession(io: Surroundings): string | null {
  const running = AGENTS.flatMap((agent) => {
    const id = agent.sessionVariable === undefined ? '' : (io.env[agent.sessionVariable] ?? '');
    return id === '' ? [] : walkAgent(io, agent).files.filter(({ file }) => readIds({ agent, file }).includes(id));
  });
  const newest = running.toSorted((a, b) => b.modified - a.modified)[0];
  return newest?.file ?? null;
}

interface AgentFile {
  readonly agent: AgentFormat;
  readonly file: string;
}

/** The paths of the sessions of all agents but Pi. */
export function listFilesOfAgents(io: Surroundings): readonly string[] {
  return listAgentFiles(io).map(({ file }) => file);
}

/** The files in the folders of all agents whose names are those of sessions. */
function listAgentFiles(io: Surroundings): readonly AgentFile[] {
  return AGENTS.flatMap((agent) => walkAgent(io, agent).files.map(({ file }) => ({ agent, file })));
}

/** The newest file of each thread. */
function keepNewestOfThreads(files: readonly string[]): readonly string[] {
  const newest = new Map<string, string>();
  for (const file of files) {
    const name = path.basename(file);
    const before = newest.get(readThread(file));
    if (before === undefined || before < name) newest.set(readThread(file), name);
  }
  return files.filter((file) => newest.get(readThread(file)) === path.basename(file));
}

/** The thread of a file of Codex, which has several if it went back to an earlier turn; the file itself for any other. */
function readThread(file: string): string {
  return THREAD.exec(toContentName(file))?.[1] ?? file;
}

/** The newest session of an agent, like `findAgentSessions`. Throws a CtxError: usage for an unknown agent, input if there is none. */
export function findLatestSession(io: Surroundings, name: string): string {
  const agents = name === PI ? [] : findAgents(name, `latest:${name}`);
  const folder = findPiFolder(io, name);
  const file = findNewestFile(io, agents, folder === null ? [] : io.files.walk(folder).files);
  if (file === null) throw buildNoSessionError(`latest:${name}`);
  return file;
}

function buildNoSessionError(where: string): CtxError {
  const hint = 'list the sessions of all agents: ctx ls --agent all';
  return new CtxError('input', 'no session was found', { where, hint });
}

/**
 * The newest session of these agents, and among these files of Pi: of the working directory, or else of all directories.
 * A session of a subagent does not count, and one without messages only if all others are like it. Null if there is none.
 */
export function findNewestFile(
  io: Surroundings,
  agents: readonly AgentFormat[] = AGENTS,
  ofPi: readonly FoundFile[] = [],
): string | null {
  const found = [
    ...agents.flatMap((agent) => walkAgent(io, agent).files.map((file) => ({ ...file, agent }))),
    ...ofPi.map((file) => ({ ...file, agent: null })),
  ];
  const newest: string[] = [];
  const empty: string[] = [];
  for (const { agent, ...each } of found.toSorted((a, b) => b.modified - a.modified)) {
    const header = agent ? readAgentHeader(io, each, [agent]) : peekSessionHeader(io, each);
    if (header === null || header === 'no-session' || ('isSubagent' in header && header.isSubagent)) continue;
    const isHere = header.cwd === io.cwd || (agent && isOfProject(io, each.file, { agent, header }));
    // Only a session that may be the newest one is looked through.
    const isAsked = isHere || newest.length === 0;
    const isPassed = isAsked && agent !== null && !hasMessages(io, each, { agent, header });
    if (isHere && !isPassed) return each.file;
    if ((isPassed ? empty : newest).push(each.file) === MOST_PEEKS) break;
  }
  return newest[0] ?? empty[0] ?? null;
}

/** The newest session of the working directory that an agent but Pi wrote after a time, in milliseconds; null if there is none. */
export function findNewestOfFolder(io: Surroundings, since: number): string | null {
  if (!path.isAbsolute(io.home)) return null;
  const written = AGENTS.flatMap((agent) => walkAgent(io, agent).files.map((file) => ({ ...file, agent })));
  const newer = written.filter(({ modified }) => modified > since).toSorted((a, b) => b.modified - a.modified);
  const found = newer.slice(0, MOST_PEEKS).find(({ agent, ...each }) => {
    const header = readAgentHeader(io, each, [agent]);
    if (header === null || header.isSubagent || !isOfFolder(io, each.file, { agent, header })) return false;
    return hasMessages(io, each, { agent, header });
  });
  return found?.file ?? null;
}

/** Tests whether a session of an agent but Pi is of the working directory. */
export function isOfWorkingFolder(io: Surroundings, named: NamedFile): boolean {
  return AGENTS.some((agent) => {
    const header = readAgentHeader(io, named, [agent]);
    return header !== null && isOfFolder(io, named.file, { agent, header });
  });
}

function isOfFolder(io: Surroundings, file: string, of: { readonly agent: AgentFormat; readonly header: AgentPeek }) {
  return of.header.cwd === io.cwd || isOfProject(io, file, of);
}

/** Whether a session whose file has no working directory is of this one, by its hash or by the file beside it. */
function isOfProject(
  { files, cwd }: Surroundings,
  file: string,
  { agent, header }: { readonly agent: AgentFormat; readonly header: object },
): boolean {
  if ('cwdHash' in header && header.cwdHash === createHash('sha256').update(cwd).digest('hex')) return true;
  const named = agent.cwdFile?.(file);
  if (named === undefined) return false;
  const content = new TextDecoder().decode(files.beginning(named, LONGEST_PATH));
  return (agent.readCwd ? agent.readCwd(content) : content.trim()) === cwd;
}

const LONGEST_PATH = 1 << 16;

/** The newest sessions among which that of the working directory is searched. */
const MOST_PEEKS = 500;

/** The id of a session by its path, or the name of its file, and the id at its end. */
function readIds({ agent, file }: AgentFile): readonly string[] {
  const plain = toContentName(file);
  const name = agent.findId?.(plain) ?? path.basename(plain).replace(/\.jsonl?$/, '');
  return [name, ...(ID_AT_END.exec(name) ?? []), ...(THREAD.exec(plain)?.slice(1) ?? [])];
}

/** Whether an id that the user names is that of a file, or its beginning. A name may have only the first group of its id. */
function isNamed(id: string, ofFile: string): boolean {
  return ofFile.startsWith(id) || (FIRST_GROUP.test(ofFile) && id.startsWith(`${ofFile}-`));
}

const FIRST_GROUP = /^[0-9a-f]{8}$/;

const ID_AT_END = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|(?<=-)[0-9a-f]{8}$/;
/** `rollout-TIME-THREAD.jsonl`, or `rollout-TIME-THREAD_ROLLOUT.jsonl` since a thread has gone back. */
const THREAD = /rollout-[^/\\]*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[^/\\]*)?\.jsonl$/;

/** The number of sessions in the folders of each agent but Pi, the most first; an agent without one is left out. */
export function countAgentSessions(
  io: Surroundings,
): readonly { readonly agent: AgentFormat; readonly sessions: number }[] {
  if (!path.isAbsolute(io.home)) return [];
  return AGENTS.map((agent) => ({ agent, sessions: walkAgent(io, agent).files.length }))
    .filter(({ sessions }) => sessions > 0)
    .toSorted((a, b) => b.sessions - a.sessions);
}

/** A folder in which an agent keeps its sessions. */
export interface AgentFolder {
  /** As `--agent` names it. */
  readonly name: string;
  /** null for Pi. */
  readonly agent: AgentFormat | null;
  readonly folder: string;
}

/** The folders of all agents, Pi's first, whether they exist or not. */
export function listAgentFolders(io: Surroundings): readonly AgentFolder[] {
  const { env, home } = io;
  if (!path.isAbsolute(home)) throw buildNoHomeError();
  const ofPi = findSessionsFolder(io);
  return [
    ...(ofPi === null ? [] : [{ name: PI, agent: null, folder: ofPi }]),
    ...AGENTS.flatMap((agent) => agent.folders(env, home).map((folder) => ({ name: agent.name, agent, folder }))),
  ];
}

/** The files in a folder of an agent whose names are those of sessions. */
export function walkAgentFolder(io: Surroundings, { agent, folder }: AgentFolder): FolderWalk {
  const walk = walkSessionFiles(io, folder, agent?.mayEnter?.bind(agent));
  const isSession = agent?.isSession.bind(agent) ?? ((file: string) => file.endsWith('.jsonl'));
  return { ...walk, files: walk.files.filter(({ file }) => isSession(toContentName(file))) };
}

function walkAgent(io: Surroundings, agent: AgentFormat): Pick<FolderWalk, 'files' | 'unreadable'> {
  const walks = listAgentFolders(io)
    .filter((one) => one.agent === agent)
    .map((one) => walkAgentFolder(io, one));
  return {
    files: walks.flatMap(({ files }) => files),
    unreadable: walks.flatMap(({ unreadable }) => unreadable),
  };
}

/** The form of the ids by which sessions of other agents can be named: see `locateSession`. */
const ID = /^(?:agent-[\w-]{6,}|ses_\w{4,}|\d{13}(?:_\w+)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?)$/;
const SHORTEST_PREFIX = 8;
const BEGINS_WITH_TIME = /^\d{13}(?:_|$)/;
/** Of a subagent, whose ids are short, and of Cline, which begin with a time; and of opencode, with eight characters after `ses_`. */
const SHORTEST_OF_AGENT = 13;
const SHORTEST_OF_OPENCODE = 12;

/**
 * The shortest ids that name the sessions in the folders of the agents, by their files, as the commands look them up. A
 * file without such an id is left out.
 */
export function listAgentHandles(io: Surroundings): ReadonlyMap<string, string> {
  const files = listAgentFiles(io);
  const ofAgents = files.flatMap((of) => [...new Set(readIds(of))].map((id) => ({ id, of: readThread(of.file) })));
  const ofPi = [...listPiSessionFiles(io)].map(({ file, id }) => ({ id, of: file }));
  const sorted = [...ofAgents, ...ofPi].toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  const shortest = new Map<string, string>();
  for (const [at, { id, of }] of sorted.entries()) {
    const prefix = ID.test(id) ? findShortestPrefix(sorted, at) : null;
    const before = shortest.get(of);
    if (prefix !== null && (before === undefined || prefix.length < before.length)) shortest.set(of, prefix);
  }
  const newest = keepNewestOfThreads(files.map(({ file }) => file));
  const threadCounts = new Map<string, number>();
  for (const file of newest) threadCounts.set(readThread(file), (threadCounts.get(readThread(file)) ?? 0) + 1);
  return new Map(
    newest.flatMap((file) => {
      const handle = shortest.get(readThread(file));
      // A rollout may be both among the sessions and in the archive.
      return handle !== undefined && threadCounts.get(readThread(file)) === 1 ? [[file, handle] as const] : [];
    }),
  );
}

/** The shortest beginning of an id that no other session's id has; null if another one has the whole id. */
function findShortestPrefix(
  sorted: readonly { readonly id: string; readonly of: string }[],
  at: number,
): string | null {
  const { id = '', of = '' } = sorted[at] ?? {};
  const other = (step: number): string => {
    let next = at + step;
    while (sorted[next]?.of === of) next += step;
    return sorted[next]?.id ?? '';
  };
  const shared = Math.max(commonPrefixLength(id, other(-1)), commonPrefixLength(id, other(1)));
  if (shared === id.length) return null;
  const least = findShortestLength(id);
  const prefix = id.slice(0, Math.max(least, shared + 1));
  return prefix.endsWith('-') ? id.slice(0, prefix.length + 1) : prefix;
}

function findShortestLength(id: string): number {
  if (id.startsWith('agent-') || BEGINS_WITH_TIME.test(id)) return SHORTEST_OF_AGENT;
  return id.startsWith('ses_') ? SHORTEST_OF_OPENCODE : SHORTEST_PREFIX;
}
