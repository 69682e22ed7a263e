import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { ObjectChange } from '../bytes/member-edits.js';

/** The version that Pi writes. */
export const CURRENT_VERSION = 3;

/**
 * The change of a line for version 3, except for its parent; null if there is none. `gone`: the offsets of lines that the
 * new file lacks.
 */
export function planLineChange(session: Session, head: Head, gone: ReadonlySet<number>): ObjectChange | null {
  const { header, scan } = session;
  // As Pi compares it: a version that is no number is NaN, for which Pi changes no line either.
  if (!(header.version < CURRENT_VERSION)) return null;
  const isHookMessage = scan.heads.roleAt(head.index) === 'hookMessage';
  const inner = isHookMessage ? { message: { role: 'custom' } } : {};
  if (header.version < 2) return { inner, ...planIds(session, head, gone) };
  return isHookMessage ? { changes: {}, inner } : null;
}

/**
 * Version 1 has no ids, and its compactions count lines. The heads of the tree have the ids that Pi gives when it
 * migrates; those of the scan have what is in the file.
 */
function planIds(session: Session, head: Head, gone: ReadonlySet<number>): ObjectChange {
  const { id } = head;
  if (head.type !== 'compaction') return { changes: { id } };
  const { heads } = session.tree;
  let kept = heads.at(heads.targetAt(head.index));
  while (kept && gone.has(kept.offset)) kept = heads.at(kept.index + 1);
  const firstKeptEntryId = kept?.id ?? head.target;
  if (firstKeptEntryId === undefined) return { changes: { id }, dropped: ['firstKeptEntryIndex', 'firstKeptEntryId'] };
  const stored = session.scan.heads.at(head.index)?.target;
  const changes = firstKeptEntryId === stored ? { id } : { id, firstKeptEntryId };
  return { changes, dropped: ['firstKeptEntryIndex'] };
}

/** Adds a new parent to a change; undefined keeps the parent. The id comes before it, as Pi writes it. */
export function changeParent(change: ObjectChange | null, parentId: RawId | undefined): ObjectChange | null {
  if (parentId === undefined) return change;
  const { id, ...rest } = change?.changes ?? {};
  return { ...change, changes: { ...(id === undefined ? {} : { id }), parentId, ...rest } };
}
