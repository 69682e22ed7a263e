import type { OpenSession } from '#context/open.js';
import { PRUNE_TYPE } from '#context/replay/ctx-entries.js';
import type { CountedSize } from '#context/size/counted-size.js';
import { PathSizes } from '#context/size/path-sizes.js';
import type { PathSource } from '#context/walk.js';
import { readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';

/** The end of a turn in which the model has answered, and the size of the context there. */
export interface TurnEnd extends CountedSize {
  /** The last message of the turn. */
  readonly head: Head;
  /** The number of the turn in `@{turn:N}`. */
  readonly turn: number;
}

/** An entry that made the context smaller. One that was written twice is one. */
export interface Relief {
  readonly head: Head;
  readonly by: 'compact' | 'prune';
}

export type PathEvent =
  | { readonly kind: 'turn-end'; readonly end: TurnEnd }
  | { readonly kind: 'relief'; readonly relief: Relief };

export interface GatePath extends Omit<PathSource, 'session'> {
  /** Whether to look at the ends of turns, or after each answer and its tool results, as Pi's `turn_end` does. */
  readonly every: 'turn' | 'answer';
}

/**
 * Yields the turn ends and reliefs of a path, in order. Throws a CtxError (input) where a transform breaks a boundary rule.
 */
export function* listPathEvents(session: OpenSession, gatePath: GatePath): Generator<PathEvent> {
  const { path, every } = gatePath;
  const sizes = new PathSizes(session, gatePath);
  let turn = 0;
  let hasAnswer = false;
  /** The place of the newest answer or tool result. */
  let lastMessage = -1;
  /** The reliefs since then. Those at the end of a turn come after it. */
  let reliefs: PathEvent[] = [];
  function* endTurn(): Generator<PathEvent> {
    const head = path[lastMessage];
    if (hasAnswer && head) yield { kind: 'turn-end', end: { head, turn, ...sizes.after(lastMessage) } };
    yield* reliefs;
    reliefs = [];
    hasAnswer = false;
  }
  for (const [index, head] of path.entries()) {
    if (startsTurn(head)) {
      yield* endTurn();
      turn += 1;
    } else if (answersRequest(head) && every === 'answer') {
      yield* endTurn();
    }
    if (answersRequest(head) || head.role === 'toolResult') {
      // A relief within a turn comes before the end of that turn.
      yield* reliefs;
      reliefs = [];
      hasAnswer ||= answersRequest(head);
      lastMessage = index;
    }
    const by = findReliefKind(session, path, index);
    if (by !== null) reliefs.push({ kind: 'relief', relief: { head, by } });
  }
  yield* endTurn();
}

function findReliefKind(session: Session, path: readonly Head[], index: number): Relief['by'] | null {
  const head = path[index];
  if (head?.type === 'compaction') return isPruneRecord(session, path[index - 1]) ? null : 'compact';
  if (head?.type === 'custom') return isPruneRecord(session, head) ? 'prune' : null;
  if (head?.type !== 'context_transform') return null;
  const name = readTransformerName(session.entry(head));
  if (name === 'prune') return 'prune';
  // The compaction below it has the same effect in Pi.
  return name === 'compaction' && path[index + 1]?.type !== 'compaction' ? 'compact' : null;
}

/** The entries below it are part of one prune. */
function isPruneRecord(session: Session, head: Head | undefined): boolean {
  if (head?.type !== 'custom') return false;
  const entry = session.entry(head);
  return entry.type === 'custom' && entry.customType === PRUNE_TYPE;
}
