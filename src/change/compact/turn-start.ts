import type { AgentMessage } from '#context/replay/convert.js';
import type { Projected } from './projection.js';

const STARTS_TURN: ReadonlySet<unknown> = new Set([
  'user',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

/** Whether a turn starts at an entry: at whatever speaks in the user's place, but not at a compaction. */
export function startsTurn({ head, messages }: Projected): boolean {
  return head.type !== 'compaction' && messages.some(isOfUser);
}

/** Where the turn of an entry starts, -1 where that is above `start`. */
export function turnStartAt(entries: readonly Projected[], at: number, start: number): number {
  for (let index = at; index >= start; index -= 1) {
    const entry = entries[index];
    if (entry && startsTurn(entry)) return index;
  }
  return -1;
}

/** Whether the kept range may start at an entry: never at the result of a tool, which needs its call. */
export function canBeFirst({ head, messages }: Projected): boolean {
  return head.type !== 'compaction' && messages.some((message) => isOfUser(message) || message['role'] === 'assistant');
}

function isOfUser({ role }: AgentMessage): boolean {
  return STARTS_TURN.has(role);
}
