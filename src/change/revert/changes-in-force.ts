import { findBatches } from '#context/replay/batches.js';
import { CONTEXT_CHANGE_TYPES } from '#context/replay/entry-kinds.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { isCompaction } from '#session/tree/compaction.js';
import { activePath } from '#session/tree/tree.js';
import { findSettledPlaces } from './settled-places.js';

/** The changes of the active path that were not undone. */
export function listChangesInForce(session: Session): readonly Head[] {
  return listInForce(session, ({ type }) => isUndoable(type));
}

/** The newest compaction of the active path that was not undone; null if there is none. */
export function findCompactionInForce(session: Session): Head | null {
  const newest = listInForce(session, (head) => isCompaction(session, head)).at(-1) ?? null;
  const { heads } = session.tree;
  // A restore of stock Pi is a compaction that keeps the whole path: those before it have no effect.
  const isRestore =
    newest?.type === 'compaction' && heads.targetAt(newest.index) === activePath(session.tree)[0]?.index;
  return isRestore ? null : newest;
}

function listInForce(session: Session, isWanted: (head: Head) => boolean): readonly Head[] {
  const path = activePath(session.tree);
  const undone = findSettledPlaces(session, { path, places: [], batches: findBatches(session, path) });
  return path.filter((head, at) => isWanted(head) && !undone.has(at));
}

/** Whether an entry of a type can be undone: a reset stays. */
export function isUndoable(type: string | null): boolean {
  return CONTEXT_CHANGE_TYPES.has(type) && type !== 'reset_boundary';
}
