import { readEntryMessage } from '#context/replay/convert.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { isContextOverflow, isCutShort } from './overflow.js';

/**
 * The recovery of Pi from a request that was too long. `retry`: it leaves the failed answer out, compacts, and sends the
 * request again, once. `compact`: the answer is complete, so it only compacts. `final`: the request was sent again before,
 * and Pi gives up.
 */
export type OverflowRecovery = 'retry' | 'compact' | 'final';

/** The recovery from the overflow of the last answer of a path. */
export function findRecovery(session: Session, path: readonly Head[]): OverflowRecovery {
  const last = path.findLastIndex(answersRequest);
  if (readAnswerMessage(session, path[last]).stopReason === 'stop') return 'compact';
  for (let at = last - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (head?.role === 'user') break;
    if (!head || !answersRequest(head)) continue;
    const answer = readAnswerMessage(session, head);
    if (!FAILED.has(answer.stopReason)) break;
    if (isContextOverflow(answer, null) || isCutShort(answer, null) === true) return 'final';
  }
  return 'retry';
}

/** An answer with another stop reason ends the recovery, and the next overflow is retried again. */
const FAILED: ReadonlySet<unknown> = new Set(['error', 'length']);

function readAnswerMessage(session: Session, head: Head | undefined): StoredMessage {
  return (head && readEntryMessage(session.entry(head))) ?? {};
}
