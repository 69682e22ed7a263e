import type { Head } from '../table/head.js';

const USER_LIKE_ROLES: ReadonlySet<string> = new Set([
  'user',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

/** A turn starts at every user-like message (Pi's rule since 0.80) and runs to the next one. */
export function startsTurn(head: Head): boolean {
  if (head.type === 'custom_message') return true;
  // No message is a branch summary.
  return head.role === null ? head.hasSummary : USER_LIKE_ROLES.has(head.role);
}

/** Every assistant message answers one request, failed ones included. */
export function answersRequest(head: Head): boolean {
  return head.role === 'assistant';
}

/** How many turns began and how many requests were answered on a path. */
export function countTurns(path: readonly Head[]): { turns: number; requests: number } {
  let turns = 0;
  let requests = 0;
  for (const head of path) {
    if (startsTurn(head)) turns += 1;
    if (answersRequest(head)) requests += 1;
  }
  return { turns, requests };
}
