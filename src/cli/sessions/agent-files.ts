import { createHash } from 'node:crypto';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import type { FolderWalk, FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { AGENTS, ALL_AGENTS, findAgents, isAgentDocument, parseBeforeMessages } from '#session/agents/index.js';
import { noHomeError, sessionsFolder } from '#session/agents/pi-folders.js';
import { type AgentPeek, peekAgentSession } from '#session/agents/reader.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { contentName } from '#session/scan/compression.js';
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
  const ofPi = own !== null && io.files.exists(own) ? await findSessions(io, own) : { sessions: [], unreadable: [] };
  return {
    sessions: [...ofPi.sessions, ...sessions],
    others: [],
    unreadable: [...ofPi.unreadable, ...walks.flatMap(({ unreadable }) => unreadable)],
  };
}

const PI = 'pi';

/** The folder of Pi's sessions, if a name means them. */
function findPiFolder(io: Surroundings, name: string): string | null {
  return name === PI || name === ALL_AGENTS ? sessionsFolder(io) : null;
}

/** The sessions that `all` or `all:NAME` means. Throws a CtxError: usage for an unknown agent, input if there is none. */
export async function findAllSessions(io: Io, name = ALL_AGENTS): Promise<readonly FoundSession[]> {
  const where = name === ALL_AGENTS ? name : `all:${name}`;
  const { sessions } = await findAgentSessions(io, name, where);
  if (sessions.length === 0) throw noSessionOfAgentError(name, where);
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
  const beginning = files.beginning(file, BEGINNING_BYTES);
  if (!isDocumentName(file)) return peekAgentSession(beginning, file, agents);
  const short = parseBeforeMessages(new TextDecoder().decode(beginning));
  const header = short && peekAgentSession(new TextEncoder().encode(JSON.stringify(short)), file, agents);
  return header ?? peekAgentSession(files.beginning(file, mostContentBytes({ file, size })), file, agents);
}

const BEGINNING_BYTES = 1 << 16;
const MOST_BYTES = 1 << 28;

/** The size of a file; of a compressed one, which has no known size, the largest that is read. */
function mostContentBytes({ file, size }: NamedFile): number {
  return contentName(file) === file ? Math.min(size, MOST_BYTES) : MOST_BYTES;
}

/** Tests whether a `.json` file is a session; most are decided by their beginning. */
export function isSessionDocument({ files }: Pick<Io, 'files'>, found: FoundFile): boolean {
  const { file } = found;
  const read = (start: number, end: number): Uint8Array => files.beginning(file, end).subarray(start);
  return isAgentDocument({ ...toByteSource(new Uint8Array()), size: mostContentBytes(found), read });
}

/** The files of sessions whose id begins with a text, the newest of each. The names of files contain the ids. */
export function findFilesById(io: Surroundings, id: string): readonly string[] {
  return keepNewestOfThreads(listAgentFiles(io).filter((file) => readIds(file).some((one) => one.startsWith(id))));
}

/** The files in the folders of all agents whose names are those of sessions. */
function listAgentFiles(io: Surroundings): readonly string[] {
  return AGENTS.flatMap((agent) => walkAgent(io, agent).files.map(({ file }) => file));
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
  return THREAD.exec(contentName(file))?.[1] ?? file;
}

/** The newest session of an agent, like `findAgentSessions`. Throws a CtxError: usage for an unknown agent, input if there is none. */
export function findLatestSession(io: Surroundings, name: string): string {
  const agents = name === PI ? [] : findAgents(name, `latest:${name}`);
  const folder = findPiFolder(io, name);
  const file = findNewestFile(io, agents, folder === null ? [] : io.files.walk(folder).files);
  if (file === null) throw noSessionOfAgentError(name, `latest:${name}`);
  return file;
}

function noSessionOfAgentError(name: string, where: string): CtxError {
  const [elsewhereHint, ...others] = suggestExport(name);
  const isClear = elsewhereHint !== undefined && others.length === 0;
  const hint = isClear ? elsewhereHint : 'list the sessions of all agents: ctx ls --agent all';
  return new CtxError('input', 'no session was found', { where, hint });
}

/**
 * The newest session of these agents, and among these files of Pi: of the working directory, or else of all directories.
 * A session of a subagent does not count. Null if there is none.
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
  for (const { agent, ...each } of found.toSorted((a, b) => b.modified - a.modified)) {
    const header = agent ? readAgentHeader(io, each, [agent]) : peekSessionHeader(io, each);
    if (header === null || header === 'no-session' || ('isSubagent' in header && header.isSubagent)) continue;
    if (header.cwd === io.cwd || (agent && isOfProject(io, each.file, { agent, header }))) return each.file;
    if (newest.push(each.file) === MOST_PEEKS) break;
  }
  return newest[0] ?? null;
}

/** The newest session of the working directory that an agent but Pi wrote after a time, in milliseconds; null if there is none. */
export function findNewestOfFolder(io: Surroundings, since: number): string | null {
  if (!path.isAbsolute(io.home)) return null;
  const written = AGENTS.flatMap((agent) => walkAgent(io, agent).files.map((file) => ({ ...file, agent })));
  const newer = written.filter(({ modified }) => modified > since).toSorted((a, b) => b.modified - a.modified);
  const found = newer.slice(0, MOST_PEEKS).find(({ agent, ...each }) => {
    const header = readAgentHeader(io, each, [agent]);
    return header !== null && !header.isSubagent && isOfFolder(io, each.file, { agent, header });
  });
  return found?.file ?? null;
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
  return named !== undefined && new TextDecoder().decode(files.beginning(named, LONGEST_PATH)).trim() === cwd;
}

const LONGEST_PATH = 1 << 16;

/** The newest sessions among which that of the working directory is searched. */
const MOST_PEEKS = 500;

/** The name of a file, and the id at its end. */
function readIds(file: string): readonly string[] {
  const plain = contentName(file);
  const name = path.basename(plain).replace(/\.jsonl?$/, '');
  return [name, ...(ID_AT_END.exec(name) ?? []), ...(THREAD.exec(plain)?.slice(1) ?? [])];
}

const ID_AT_END = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|(?<=-)[0-9a-f]{8}$/;
/** `rollout-TIME-THREAD.jsonl`, or `rollout-TIME-THREAD_ROLLOUT.jsonl` since a thread has gone back. */
const THREAD = /rollout-[^/\\]*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[^/\\]*)?\.jsonl$/;

/** The command that exports the sessions of an agent without session files. */
export function suggestExport(name: string): readonly string[] {
  return (name === PI ? [] : findAgents(name)).flatMap(({ elsewhere: hint }) => hint ?? []);
}

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
  if (!path.isAbsolute(home)) throw noHomeError();
  const ofPi = sessionsFolder(io);
  return [
    ...(ofPi === null ? [] : [{ name: PI, agent: null, folder: ofPi }]),
    ...AGENTS.flatMap((agent) => agent.folders(env, home).map((folder) => ({ name: agent.name, agent, folder }))),
  ];
}

/** The files in a folder of an agent whose names are those of sessions. */
export function walkAgentFolder(io: Surroundings, { agent, folder }: AgentFolder): FolderWalk {
  const walk = walkSessionFiles(io, folder);
  const isSession = agent?.isSession.bind(agent) ?? ((file: string) => file.endsWith('.jsonl'));
  return { ...walk, files: walk.files.filter(({ file }) => isSession(contentName(file))) };
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
const ID = /^(?:agent-[\w-]{6,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?)$/;
const SHORTEST_PREFIX = 8;
/** Of a subagent, whose ids are short. */
const SHORTEST_OF_AGENT = 13;

/**
 * The shortest ids that name the sessions in the folders of the agents, by their files, as the commands look them up. A
 * file without such an id is left out.
 */
export function listAgentHandles(io: Surroundings): ReadonlyMap<string, string> {
  const files = listAgentFiles(io);
  const ofAgents = files.flatMap((file) => [...new Set(readIds(file))].map((id) => ({ id, of: readThread(file) })));
  const ofPi = [...listPiSessionFiles(io)].map(({ file, id }) => ({ id, of: file }));
  const sorted = [...ofAgents, ...ofPi].toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  const shortest = new Map<string, string>();
  for (const [at, { id, of }] of sorted.entries()) {
    const prefix = ID.test(id) ? findShortestPrefix(sorted, at) : null;
    const before = shortest.get(of);
    if (prefix !== null && (before === undefined || prefix.length < before.length)) shortest.set(of, prefix);
  }
  const newest = keepNewestOfThreads(files);
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
  const least = id.startsWith('agent-') ? SHORTEST_OF_AGENT : SHORTEST_PREFIX;
  const prefix = id.slice(0, Math.max(least, shared + 1));
  return prefix.endsWith('-') ? id.slice(0, prefix.length + 1) : prefix;
}
