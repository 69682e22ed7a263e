import type { AgentMessage } from '#context/replay/convert.js';
import { messageOfEntry } from '#context/replay/entry-message.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { isContextOverflow, isCutShort } from './triggers.js';

/**
 * The recovery of Pi from a request that was too long. `retry`: it leaves the failed answer out, compacts, and sends the
 * request again, once. `compact`: the answer is complete, so it only compacts. `final`: the request was sent again before,
 * and Pi gives up.
 */
export type OverflowRecovery = 'retry' | 'compact' | 'final';

/** The recovery from the overflow of the last answer of a path. */
export function recoveryAt(session: Session, path: readonly Head[]): OverflowRecovery {
  const last = path.findLastIndex(({ role }) => role === 'assistant');
  if (answerAt(session, path[last])['stopReason'] === 'stop') return 'compact';
  for (let at = last - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (head?.role === 'user') break;
    if (head?.role !== 'assistant') continue;
    const answer = answerAt(session, head);
    if (!FAILED.has(answer['stopReason'])) break;
    if (isContextOverflow(answer, null) || isCutShort(answer, null) === true) return 'final';
  }
  return 'retry';
}

/** An answer with another stop reason ends the recovery, and the next overflow is retried again. */
const FAILED: ReadonlySet<unknown> = new Set(['error', 'length']);

function answerAt(session: Session, head: Head | undefined): AgentMessage {
  return (head && messageOfEntry(session.entry(head))) ?? {};
}
