import { type Entry, readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import type { OpenSession } from '../open.js';
import type { PatchOp } from '../replay/patch-op.js';

/**
 * The first entry of a path that replay needs, so that the context after the entry at `since` and after each later
 * one is right: before the kept range of the newest compaction, only transforms can matter, which are always
 * replayed. 0 if earlier messages may still matter.
 */
export function findFirstNeeded(session: OpenSession, path: readonly Head[], since = path.length - 1): number {
  const compactsAt = (index: number): boolean => {
    const head = path[index];
    // A reset without a target keeps nothing, so that nothing before it is needed again.
    if (head?.type === 'reset_boundary') return head.target !== undefined;
    return head?.type === 'compaction' && !findRepeatedTransform(session, path, index);
  };
  let newest = since;
  while (newest >= 0 && !compactsAt(newest)) newest -= 1;
  if (newest < 0) return 0;
  const compactions = [newest];
  for (let index = since + 1; index < path.length; index += 1) {
    if (compactsAt(index)) compactions.push(index);
  }
  const from = Math.min(newest, findFirstKept(session, path, compactions));
  for (let index = path.length - 1; index >= from; index -= 1) {
    const head = path[index];
    if (head?.type !== 'context_transform') continue;
    const entry = session.entry(head);
    const patch = session.readPatch(entry);
    if (usesEarlierMessages(patch, index > newest) || mayApplyCompaction(entry, patch)) return 0;
  }
  return from;
}

/** Whether a transform has a broken op, so that the compaction after it may apply, and keep any entry. */
function mayApplyCompaction(entry: Entry, patch: readonly PatchOp[]): boolean {
  return readTransformerName(entry) === 'compaction' && !patch.every(({ ok }) => ok);
}

/**
 * Whether a patch may use or count any earlier messages. After the compaction, one that compacts
 * counts only the existing ones.
 */
export function usesEarlierMessages(patch: readonly PatchOp[], isBelow: boolean): boolean {
  return patch.some((step) => step.ok && step.region === 'messages' && !(isBelow && step.compacts));
}

/** The first entry that one of these compactions keeps, Infinity if none names any. */
function findFirstKept({ tree }: Session, path: readonly Head[], compactions: readonly number[]): number {
  const named = new Set(compactions.map((at) => tree.heads.targetAt(path[at]?.index ?? -1)));
  let kept = Infinity;
  // They are near their compactions, and a path may be long.
  for (let at = path.length - 1; at >= 0 && named.size > 0; at -= 1) {
    if (named.delete(path[at]?.index ?? -1)) kept = at;
  }
  return kept;
}
