import { formatCount } from '#base/numbers.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { AgentRepairs } from './find-agent-repairs.js';

/** Why no repaired copy of a session can be made, and what to do instead. */
export interface RepairObstacle {
  readonly why: string;
  readonly hint: string;
}

/** Finds why no repaired copy of a session can be made; null if one can. */
export function findObstacle(
  { agent, problems }: OpenSession,
  { planned }: Pick<AgentRepairs, 'planned'>,
): RepairObstacle | null {
  const ofSubagent = findSubagentObstacle(agent);
  if (ofSubagent) return ofSubagent;
  if (problems.some(({ code }) => code === 'history-elsewhere')) {
    const why = 'its history begins in another rollout, which is missing';
    return { why, hint: 'put that rollout back where it was, below the same folder of sessions' };
  }
  if (planned.copy.after.messages.cached.length > 0) return null;
  return { why: 'no message would be left', hint: 'begin a new session; ctx log and ctx cat print what this one has' };
}

/** Why no client goes on with the session of a subagent; null for any other session. */
export function findSubagentObstacle(agent: OpenSession['agent']): RepairObstacle | null {
  if (!agent?.isSubagent) return null;
  const why = `${agent.title} does not resume the session of a subagent`;
  return { why, hint: 'name the session that started it' };
}

/** How far a context is above the window; null if it fits, or if the window is unknown. */
export function describeOverflow({ meta: { size, tokens, limit } }: ContextEnvelope): string | null {
  // A recorded size may be that of a request that lacked some messages.
  const most = Math.max(size.tokens, tokens.total);
  if (limit === null || most <= limit) return null;
  return `the next request has ~${formatCount(most)} tokens, and the context window ${formatCount(limit)}`;
}
