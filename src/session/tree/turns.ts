import type { Head } from '../heads/head.js';
import type { Heads } from '../heads/heads.js';

const USER_LIKE_ROLES: ReadonlySet<string> = new Set([
  'user',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

/**
 * A turn starts at every user-like message (Pi's rule since 0.80) and runs to the next one. What another agent adds to
 * the input by itself, such as an attachment, belongs to the turn that it is in.
 */
export function startsTurn(head: Head): boolean {
  if (head.type === 'custom_message') return !head.isAdded;
  // A message is never a branch summary.
  return head.role === null ? head.hasSummary : USER_LIKE_ROLES.has(head.role);
}

/**
 * Every answer of a provider answers one request, failed ones included. An answer that the program wrote itself answers
 * none: see `isLocalAnswer`.
 */
export function answersRequest(head: Pick<Head, 'role' | 'isAdded'>): boolean {
  return head.role === 'assistant' && !head.isAdded;
}

/**
 * The last result of the calls of an answer on a path of entry indexes, which nothing may come between; the entry
 * itself if it has none, or is not on the path.
 */
export function findLastResult(heads: Heads, path: readonly number[] | Uint32Array, index: number): number {
  const at = path.indexOf(index);
  if (at < 0 || !PAIRED.has(heads.roleAt(index))) return index;
  let last = index;
  for (const next of path.slice(at + 1)) {
    const role = heads.roleAt(next);
    if (role === 'toolResult') last = next;
    else if (role !== null) break;
  }
  return last;
}

const PAIRED: ReadonlySet<string | null> = new Set(['assistant', 'toolResult']);

/** The number of started turns and answered requests on a path. */
export function countTurns(path: readonly Head[]): { turns: number; requests: number } {
  let turns = 0;
  let requests = 0;
  for (const head of path) {
    if (startsTurn(head)) turns += 1;
    if (answersRequest(head)) requests += 1;
  }
  return { turns, requests };
}
