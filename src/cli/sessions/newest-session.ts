import { createHash } from 'node:crypto';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import type { AgentFormat } from '#session/agents/define.js';
import { AGENTS, findAgents } from '#session/agents/index.js';
import type { AgentPeek } from '#session/agents/reader.js';
import type { SessionPeek } from '#session/scan/peek.js';
import type { Surroundings } from '../surroundings.js';
import { findPiFolder, PI, walkAgent } from './agent-folders.js';
import { hasMessages, readAgentHeader } from './agent-header.js';
import { type NamedFile, peekSessionHeader } from './session-files.js';

/**
 * The newest session of an agent, like `findAgentSessions`. Throws a CtxError: usage for an unknown agent, input if
 * there is none.
 */
export function findLatestOfAgent(io: Surroundings, name: string): string {
  const agents = name === PI ? [] : findAgents(name, `latest:${name}`);
  const folder = findPiFolder(io, name);
  const file = findNewestFile(io, agents, folder === null ? [] : io.files.walk(folder).files);
  if (file === null) throw buildNoSessionError(`latest:${name}`);
  return file;
}

/** The error for agents without a session. */
export function buildNoSessionError(where: string): CtxError {
  const hint = 'list the sessions of all agents: ctx ls --agent all';
  return new CtxError('input', 'no session was found', { where, hint });
}

/** The newest sessions among which that of the working directory is searched. */
const MOST_PEEKS = 500;

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
    // A session that cannot be the newest one is not looked through.
    const mayBeNewest = isHere || newest.length === 0;
    const isEmpty = mayBeNewest && agent !== null && !hasMessages(io, each, { agent, header });
    if (isHere && !isEmpty) return each.file;

    const others = isEmpty ? empty : newest;
    others.push(each.file);
    if (others.length === MOST_PEEKS) break;
  }
  return newest[0] ?? empty[0] ?? null;
}

/**
 * The newest session of the working directory that an agent but Pi wrote after a time, in milliseconds; null if there
 * is none.
 */
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

function isOfFolder(io: Surroundings, file: string, peeked: PeekedSession): boolean {
  return peeked.header.cwd === io.cwd || isOfProject(io, file, peeked);
}

/** The beginning of a session, and the agent that wrote it. */
interface PeekedSession {
  readonly agent: AgentFormat;
  readonly header: SessionPeek | AgentPeek;
}

/** Whether a session whose file has no working directory is of this one, by its hash or by the file beside it. */
function isOfProject({ files, cwd }: Surroundings, file: string, { agent, header }: PeekedSession): boolean {
  if ('cwdHash' in header && header.cwdHash === createHash('sha256').update(cwd).digest('hex')) return true;
  const named = agent.cwdFile?.(file);
  if (named === undefined) return false;
  const content = new TextDecoder().decode(files.beginning(named, LONGEST_PATH));
  return (agent.readCwd ? agent.readCwd(content) : content.trim()) === cwd;
}

/** The most bytes of a file that names a working directory. */
const LONGEST_PATH = 1 << 16;
