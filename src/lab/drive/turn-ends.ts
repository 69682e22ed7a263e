import type { Head } from '#session/heads/head.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';

/** The place after the turn that ends nearest to the middle of a path; null if only the last turn ends. */
export function findMiddleTurnEnd(path: readonly Head[]): number | null {
  const inner = [...findTurnEnds(path)].slice(0, -1).map((end) => end + 1);
  const distance = (place: number): number => Math.abs(place - path.length / 2);
  return inner.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

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
