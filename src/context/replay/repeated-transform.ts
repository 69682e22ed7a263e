import { asString } from '#base/json.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The transform that a compaction repeats for programs without transforms. */
export function findRepeatedTransform(session: Session, path: readonly Head[], index: number): Head | null {
  const parent = path[index - 1];
  return parent?.type === 'context_transform' && readTransformerName(session.entry(parent)) === 'compaction'
    ? parent
    : null;
}

/**
 * Whether an entry belongs to a compaction. If a transform is followed by the compaction that repeats it, both do.
 * `isCompaction` of `session/tree/compaction.ts` finds only the transform.
 */
export function isOfCompaction(session: Session, head: Head): boolean {
  if (head.type !== 'context_transform') return head.type === 'compaction';
  return readTransformerName(session.entry(head)) === 'compaction';
}

/** The name of the program that wrote a transform. */
export function readTransformerName(entry: Entry): string {
  return asString(entry.transformerName) ?? 'unknown';
}
