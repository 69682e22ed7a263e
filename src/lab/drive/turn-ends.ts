import type { Head } from '#session/heads/head.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';

/**
 * The places of the last messages of turns in which the model has answered. `followed`: without the last turn, which may
 * go on.
 */
export function findTurnEnds(path: readonly Head[], which: 'all' | 'followed' = 'all'): ReadonlySet<number> {
  const ends = new Set<number>();
  let last = -1;
  for (const [at, head] of path.entries()) {
    if (answersRequest(head) || head.role === 'toolResult') last = at;
    if (!startsTurn(head) || last === -1) continue;
    ends.add(last);
    last = -1;
  }
  return last === -1 || which === 'followed' ? ends : ends.add(last);
}
