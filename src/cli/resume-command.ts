import path from 'node:path';
import { toShellWord } from '#base/shell.js';
import { formatResumeCommand } from '#change/plan/next-commands.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copier.js';
import { findCopier } from '#session/agents/index.js';
import { toContentName } from '#session/scan/compression.js';
import { listAgentFolders } from './sessions/agent-folders.js';
import { isBelow } from './sessions/folders.js';

/** A session that its agent may go on with. */
interface ResumableSession {
  readonly sessionId: string;
  readonly file: string;
  /** The working directory of the session; null if it is not recorded. */
  readonly cwd: string | null;
  /** Whether it is where the agent looks for its sessions. */
  readonly isInstalled: boolean;
}

/**
 * The command line with which an agent goes on with a session; null if it opens none there. Some agents look for a session
 * only in the folder in which they are started: then it enters that folder first. `copier`: of the agent; null for Pi.
 */
export function formatResumeLine(
  { cwd: here }: Pick<Io, 'cwd'>,
  copier: AgentCopier | null,
  { sessionId, file, cwd, isInstalled }: ResumableSession,
): string | null {
  if (copier === null) return formatResumeCommand(file);
  const command = copier.opening.formatCommand(sessionId, isInstalled ? null : file);
  const isElsewhere =
    isInstalled && copier.opening.isBoundToFolder && cwd !== null && path.resolve(cwd) !== path.resolve(here);
  return command !== null && isElsewhere ? `cd ${toShellWord(cwd)} && ${command}` : command;
}

/**
 * The command line that goes on with a session that was read; null for one that is open in Pi, or that its agent does not
 * open by itself.
 */
export function findResumeLine(io: Io, session: OpenSession): string | null {
  const { agent, header, file } = session;
  const copier = findCopier(session);
  const isCompressed = toContentName(file) !== file;
  if (file === '-' || file === io.env.PI_SESSION_FILE || isCompressed || agent?.isSubagent || (agent && !copier))
    return null;
  const place = path.resolve(io.cwd || '/', file);
  const isInstalled =
    path.isAbsolute(io.home) && listAgentFolders(io).some(({ folder }) => isBelow(place, path.resolve(folder)));
  return formatResumeLine(io, copier, { sessionId: header.id, file, cwd: header.cwd, isInstalled });
}
