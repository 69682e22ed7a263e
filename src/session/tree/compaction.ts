import { listObjects } from '#base/json.js';
import { type Entry, readTransformerName } from '../entry.js';
import type { Head } from '../heads/head.js';
import type { Session } from '../session.js';
import { parentOf } from './tree.js';

/** The name of a transform that a compaction after it repeats. */
const COMPACTION_NAME = 'compaction';

/** The entries of a path that compact the context, from the oldest to the newest. */
export function listCompactions(session: Session, path: readonly Head[]): readonly Head[] {
  return path.filter((head) => isCompaction(session, head));
}

/**
 * Whether an entry compacts the context. Of a transform and the compaction that repeats it, only the transform does:
 * `isOfCompaction` is true of both.
 */
export function isCompaction(session: Session, head: Head | undefined): boolean {
  if (head === undefined || !isOfCompaction(session, head)) return false;
  return head.type !== 'compaction' || !isRepeatedByCompaction(session, parentOf(session.tree, head));
}

/** Whether an entry is a compaction, or a transform that compacts. */
export function isOfCompaction(session: Session, head: Head): boolean {
  if (head.type === 'compaction') return true;
  return head.type === 'context_transform' && isCompactingTransform(session.entry(head));
}

/** Whether a transform compacts. The compactions of other agents have only the name, those of engines only the operation. */
function isCompactingTransform(transform: Entry): boolean {
  if (readTransformerName(transform) === COMPACTION_NAME) return true;
  return listObjects(transform.patch).some(({ op }) => op === 'compaction_apply');
}

/** The transform that the compaction at a position repeats for programs without transforms; null if there is none. */
export function findRepeatedTransform(session: Session, path: readonly Head[], index: number): Head | null {
  const parent = path[index - 1];
  return parent && isRepeatedByCompaction(session, parent) ? parent : null;
}

/** Whether a compaction directly after an entry would repeat it. */
export function isRepeatedByCompaction(session: Session, head: Head | null | undefined): boolean {
  return head?.type === 'context_transform' && readTransformerName(session.entry(head)) === COMPACTION_NAME;
}
