import type { Head } from '../session/head.js';
import type { Session } from '../session/session.js';
import { asString, type JsonObject } from '../session/values.js';

/**
 * The first entry of a path that replay must be given: what lies above the kept range of the newest compaction
 * can only matter through transforms, which are always replayed. 0 where messages above may still matter.
 */
export function firstNeeded(session: Session, path: readonly Head[]): number {
  const newest = path.findLastIndex(
    ({ type }, index) => type === 'compaction' && !transformAbove(session, path, index),
  );
  const compaction = path[newest];
  if (!compaction) return 0;
  const kept = path.findIndex(({ id }) => id === compaction.target);
  const from = kept === -1 || kept >= newest ? newest : kept;
  // A transform further down may take its messages from anywhere above.
  return path.slice(from).some(({ type }) => type === 'context_transform') ? 0 : from;
}

/** The transform that shadows a compaction: the entry only repeats, for readers without transforms, what that one did. */
export function transformAbove(session: Session, path: readonly Head[], index: number): Head | null {
  const parent = path[index - 1];
  return parent?.type === 'context_transform' && transformerName(session.entry(parent)) === 'compaction'
    ? parent
    : null;
}

/** The name that a transform gives itself. */
export function transformerName(entry: JsonObject): string {
  return asString(entry['transformerName']) ?? 'unknown';
}
