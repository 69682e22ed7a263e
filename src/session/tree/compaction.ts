import type { Head } from '../heads/head.js';
import type { Session } from '../session.js';

/**
 * Whether an entry compacts the context: a compaction, or a transform of this name, which a compaction after it
 * repeats.
 */
export function isCompaction(session: Session, head: Head | undefined): boolean {
  const { heads } = session.tree;
  if (head?.type !== 'compaction') return isTransform(session, head);
  return !isTransform(session, heads.at(heads.parentAt(head.index)));
}

function isTransform(session: Session, head: Head | undefined): boolean {
  return head?.type === 'context_transform' && session.entry(head).transformerName === 'compaction';
}
