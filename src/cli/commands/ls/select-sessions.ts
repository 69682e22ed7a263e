import { findSessions, type FoundSession, type FoundSessions } from '#cli/sessions/find-sessions.js';
import { createFolderTest } from '#cli/sessions/folders.js';
import type { Io } from '#platform/io.js';
import { buildNoHomeError, findSessionsFolder } from '#session/agents/pi-folders.js';

/** The words of a command line that name what is listed. */
interface SelectionInput {
  readonly io: Io;
  /** The folder. */
  readonly args: readonly (string | undefined)[];
  readonly flags: { readonly agent?: string | undefined; readonly cwd?: string | undefined };
}

/** The sessions that are listed, before the other flags choose among them. */
export interface SelectedSessions {
  readonly found: FoundSessions;
  /** Sessions of other working directories, which a listing of this one leaves out. */
  readonly elsewhere: number;
  /** The place that was searched, in words. */
  readonly place: string;
  /** The agent whose sessions are listed, as `--agent` names it; null for Pi, and for all files of a folder. */
  readonly agent: string | null;
  /** A folder was named. */
  readonly isOfFolder: boolean;
}

/**
 * Finds the sessions of a folder, or of the folders of agents. Without a name, it prefers those of the working
 * directory.
 */
export async function selectSessions(input: SelectionInput): Promise<SelectedSessions> {
  const { io, flags } = input;
  const { folder, agent: named } = readNames(input);
  const agent = await chooseAgent(io, folder, named);
  const isUnnamed = folder === null && named === null && flags.cwd === undefined;
  const found = await findListed(io, folder, agent);
  return {
    ...preferFolder(found, isUnnamed ? io.cwd : null),
    place: folder ?? describeFolders(agent) ?? findSessionsFolder(io) ?? '',
    agent,
    isOfFolder: folder !== null,
  };
}

/** The folder and the agent of a command line, where they are named. */
interface Names {
  readonly folder: string | null;
  readonly agent: string | null;
}

/** Reads the names. `all` and `all:AGENT` of other commands mean here what `--agent` says. */
function readNames({ io, args: [name], flags }: SelectionInput): Names {
  const agent = flags.agent ?? null;
  if (name === undefined) return { folder: null, agent };
  const found = /^all(?::(?<agent>.*))?$/.exec(name);
  if (!found || agent !== null || io.files.exists(name)) return { folder: name, agent };
  return { folder: null, agent: found.groups?.agent || 'all' };
}

/** The agent whose sessions are listed: all, unless a folder or an agent is named; null for Pi and for a folder. */
async function chooseAgent(io: Io, folder: string | null, agent: string | null): Promise<string | null> {
  if (agent === 'pi' && folder === null) return null;
  if (agent !== null || folder !== null) return agent;
  const { findNewestFile } = await import('#cli/sessions/newest-session.js');
  const hasNone = io.files.list(requirePiFolder(io)).length === 0 && findNewestFile(io) === null;
  return hasNone ? null : (await import('#session/agents/index.js')).ALL_AGENTS;
}

/** The sessions of a folder, or of the folders of an agent. */
async function findListed(io: Io, folder: string | null, agent: string | null): Promise<FoundSessions> {
  if (agent === null) return findSessions(io, folder ?? requirePiFolder(io));
  if (folder === null) return (await import('#cli/sessions/agent-sessions.js')).findAgentSessions(io, agent);
  const { findAgents, ALL_AGENTS } = await import('#session/agents/index.js');
  const names = agent === 'pi' ? [agent] : findAgents(agent).map(({ name }) => name);
  const found = await findSessions(io, folder);
  if (agent === ALL_AGENTS) return found;
  const isOfAgent = ({ header }: FoundSession): boolean =>
    header !== null && names.includes(findAgentName(header) ?? 'pi');
  return { ...found, sessions: found.sessions.filter(isOfAgent), others: [] };
}

/** The sessions of a working directory with the number of the others; all sessions if the directory has none. */
function preferFolder(found: FoundSessions, cwd: string | null): Pick<SelectedSessions, 'found' | 'elsewhere'> {
  const isThere = cwd === null ? () => false : createFolderTest(cwd, '.');
  const sessions = found.sessions.filter(({ header }) => isThere(header?.cwd ?? null));
  if (sessions.length === 0) return { found, elsewhere: 0 };
  return { found: { ...found, sessions, others: [] }, elsewhere: found.sessions.length - sessions.length };
}

/** The folders of an agent, in words. */
function describeFolders(agent: string | null): string | null {
  return agent === null ? null : `the folders of ${agent === 'all' ? 'all agents' : agent}`;
}

function requirePiFolder(io: Io): string {
  const folder = findSessionsFolder(io);
  if (folder === null) throw buildNoHomeError();
  return folder;
}

/** The agent that wrote a session, if it is not Pi. */
export function findAgentName(header: FoundSession['header']): string | undefined {
  return header !== null && 'agent' in header && typeof header.agent === 'string' ? header.agent : undefined;
}
