import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { addTo } from '#base/lists.js';
import { didYouMean } from '#base/nearest.js';
import type { FolderWalk, FoundFile } from '#platform/files/walk.js';
import { type Io, noHome, sessionsFolder } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { AGENTS, detectAgent } from '#session/agents/index.js';
import { peekForeign } from '#session/agents/reader.js';
import { bytesIn } from '#session/scan/bytes.js';
import { findSessions, type Found, type FoundSession, headerOf } from './named-files.js';

/** Means all agents, and Pi. */
export const ALL_AGENTS = 'all';

/** The formats that a name such as that of `--agent` means. Throws a CtxError (usage) for an unknown name. */
export function agentsNamed(name: string, where = '--agent'): readonly AgentFormat[] {
  if (name === ALL_AGENTS) return AGENTS;
  const found = AGENTS.filter((agent) => agent.name === name);
  if (found.length > 0) return found;
  const names = agentNames();
  const hint = didYouMean(name, names, `choose one of ${names.join(', ')}`);
  throw new CtxError('usage', `unknown agent "${name}"`, { where, hint });
}

/**
 * The sessions of agents below a folder, by their content alone; without a folder, those below the agents' own folders,
 * where the names of files tell sessions from the rest.
 */
export function foreignSessions(io: Io, agents: readonly AgentFormat[], folder?: string): Found {
  const walks =
    folder === undefined
      ? agents.map((agent) => sessionsIn(io, agent, foldersOf(io, agent)))
      : [io.files.walk(folder, { pattern: SESSION_FILE })];
  const sessions = walks.flatMap(({ files }) => files.flatMap((found) => sessionOf(io, found, agents)));
  return { sessions, others: [], unreadable: walks.flatMap(({ unreadable }) => unreadable) };
}

/** The sessions of all agents and of Pi below a folder; without one, in their own folders. */
export function allSessions(io: Io, folder?: string): Found {
  const foreign = foreignSessions(io, AGENTS, folder);
  const own = folder ?? sessionsFolder(io);
  if (own === null || (folder === undefined && !io.files.exists(own))) return foreign;
  const { sessions, unreadable } = findSessions(io, own);
  return {
    sessions: [...sessions, ...foreign.sessions],
    others: [],
    unreadable: [...new Set([...unreadable, ...foreign.unreadable])],
  };
}

function sessionOf(io: Io, found: FoundFile, agents: readonly AgentFormat[]): readonly FoundSession[] {
  const header = peekForeign(beginningOf(io, found), found.file, agents);
  return header === null ? [] : [{ ...found, header }];
}

/** The files of sessions whose id begins with a text. The names of files contain the ids. */
export function filesOfId(io: Io, id: string): readonly string[] {
  const found = AGENTS.flatMap((agent) => sessionsIn(io, agent, foldersOf(io, agent)).files);
  return found.map(({ file }) => file).filter((file) => idsIn(file).some((one) => one.startsWith(id)));
}

/**
 * The newest session of an agent, or of all and Pi: of the working directory, or else of all directories. A session of a
 * subagent does not count. Throws a CtxError: usage for an unknown agent, input if it has no session.
 */
export function latestOf(io: Io, name: string): string {
  const agents = agentsNamed(name, `latest:${name}`);
  const folder = name === ALL_AGENTS ? sessionsFolder(io) : null;
  const own = folder === null ? [] : io.files.walk(folder).files;
  const found = [
    ...agents.flatMap((agent) => filesWithAgent(io, agent)),
    ...own.map((file) => ({ ...file, agent: null })),
  ];
  const newest: string[] = [];
  for (const { agent, ...each } of found.toSorted((a, b) => b.modified - a.modified)) {
    const header = agent ? peekForeign(beginningOf(io, each), each.file, [agent]) : headerOf(io, each);
    if (header === null || header === 'no-session' || ('isSubagent' in header && header.isSubagent)) continue;
    if (header.cwd === io.cwd) return each.file;
    if (newest.push(each.file) === MOST_PEEKS) break;
  }
  if (newest[0] !== undefined) return newest[0];
  const hint = agents.length === 1 ? agents[0]?.elsewhere : undefined;
  throw new CtxError('input', 'no session was found', {
    where: `latest:${name}`,
    hint: hint ?? 'list the sessions of all agents: ctx ls --agent all',
  });
}

/** The newest sessions among which that of the working directory is searched. */
const MOST_PEEKS = 500;

/** The name of a file, and the id at its end. */
function idsIn(file: string): readonly string[] {
  const name = path.basename(file).replace(/\.jsonl?$/, '');
  return [name, ...(ID_AT_END.exec(name) ?? [])];
}

const ID_AT_END = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|(?<=-)[0-9a-f]{8}$/;

/** The names that `--agent` takes. */
export function agentNames(): readonly string[] {
  return [...AGENTS.map(({ name }) => name), ALL_AGENTS];
}

/** Files by the agent that wrote them; null for those of an unknown program. */
export function byAgent(io: Io, found: readonly FoundFile[]): ReadonlyMap<AgentFormat | null, readonly FoundFile[]> {
  const groups = new Map<AgentFormat | null, FoundFile[]>();
  for (const each of found) addTo(groups, agentOf(io, each), each);
  return groups;
}

/** The JSON documents of agents below a folder. */
export function documentsIn(io: Io, folder: string): readonly FoundFile[] {
  const { files } = io.files.walk(folder, { pattern: /\.json$/ });
  return files.filter((found) => found.file !== folder && agentOf(io, found) !== null);
}

/** The command that exports the sessions of an agent without session files. */
export function elsewhere(name: string): readonly string[] {
  return agentsNamed(name).flatMap(({ elsewhere: hint }) => hint ?? []);
}

function agentOf(io: Io, found: FoundFile): AgentFormat | null {
  return detectAgent(bytesIn(beginningOf(io, found)))?.format ?? null;
}

function foldersOf({ env, home }: Io, agent: AgentFormat): readonly string[] {
  if (!path.isAbsolute(home)) throw noHome();
  return agent.folders(env, home);
}

function sessionsIn(
  { files }: Io,
  agent: AgentFormat,
  folders: readonly string[],
): Pick<FolderWalk, 'files' | 'unreadable'> {
  const walks = folders.map((folder) => files.walk(folder, { pattern: SESSION_FILE }));
  return {
    files: walks.flatMap((walk) => walk.files).filter(({ file }) => agent.isSession(file)),
    unreadable: walks.flatMap(({ unreadable }) => unreadable),
  };
}

/** Some agents write a JSON document. */
const SESSION_FILE = /\.jsonl?$/;

function filesWithAgent(io: Io, agent: AgentFormat): readonly (FoundFile & { readonly agent: AgentFormat })[] {
  return sessionsIn(io, agent, foldersOf(io, agent)).files.map((found) => ({ ...found, agent }));
}

/** The first lines; of a JSON document all of it. */
function beginningOf({ files }: Io, { file, size }: FoundFile): Uint8Array {
  return files.beginning(file, file.endsWith('.json') ? Math.min(size, MOST_BYTES) : BEGINNING_BYTES);
}

const BEGINNING_BYTES = 1 << 16;
const MOST_BYTES = 1 << 28;
