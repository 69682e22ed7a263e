import type { FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { AGENTS, ALL_AGENTS, findAgents } from '#session/agents/index.js';
import { findPiFolder, PI, walkAgent } from './agent-folders.js';
import { readAgentHeader } from './agent-header.js';
import { findSessions, type FoundSession, type FoundSessions } from './find-sessions.js';
import { readLastEntryTime } from './last-entry.js';
import { buildNoSessionError } from './newest-session.js';
import type { NamedFile } from './session-files.js';

/**
 * The sessions of an agent in its own folders, where the names of files tell sessions from the rest: of `pi`, of a name
 * of `findAgents`, or of `all`. Throws a CtxError (usage) for an unknown name.
 */
export async function findAgentSessions(io: Io, name: string, where?: string): Promise<FoundSessions> {
  const agents = name === PI ? [] : findAgents(name, where);
  const walks = agents.map((agent) => walkAgent(io, agent));
  const sessions = walks.flatMap(({ files }) => detectSessions(io, files, agents).sessions);
  const own = findPiFolder(io, name);
  const ofPi = own !== null && io.files.exists(own) ? await findSessions(io, own) : NO_SESSIONS;
  return {
    sessions: [...ofPi.sessions, ...sessions],
    others: ofPi.others,
    unreadable: [...ofPi.unreadable, ...walks.flatMap(({ unreadable }) => unreadable)],
  };
}

const NO_SESSIONS: FoundSessions = { sessions: [], others: [], unreadable: [] };

/**
 * The sessions that `all` or `all:NAME` means. Throws a CtxError: usage for an unknown agent, input if there is none.
 */
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
