import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { MemberChanges } from '../bytes/member-edits.js';

/** The version that Pi writes. */
export const CURRENT_VERSION = 3;

export interface LineChange {
  readonly changes: MemberChanges;
  /** Members that are left out. */
  readonly dropped: readonly string[];
  readonly inner: Readonly<Record<string, MemberChanges>>;
}

/**
 * The change of a line for version 3, but for its parent; null for none. `gone` are the places of
 * lines that will not be there any more.
 */
export function planLineChange(session: Session, head: Head, gone: ReadonlySet<number>): LineChange | null {
  const { header, scan } = session;
  if (!(header.version < CURRENT_VERSION)) return null;
  const changes: Record<string, RawId> = {};
  const dropped: string[] = [];
  if (header.version < 2) {
    changes['id'] = head.id;
    if (head.type === 'compaction') keepFromId(session, head, { gone, changes, dropped });
  }
  const isHookMessage = scan.heads.roleAt(head.index) === 'hookMessage';
  const inner: LineChange['inner'] = isHookMessage ? { message: { role: 'custom' } } : {};
  return isHookMessage || Object.keys(changes).length > 0 ? { changes, dropped, inner } : null;
}

/** The line with another parent; undefined for the one that it has. */
export function changeParent(change: LineChange | null, parentId: RawId | undefined): LineChange | null {
  if (parentId === undefined) return change;
  const { changes, dropped, inner } = change ?? { changes: {}, dropped: [], inner: {} };
  const { id, ...rest } = changes;
  return { changes: { ...(id === undefined ? {} : { id }), parentId, ...rest }, dropped, inner };
}

interface KeptChange {
  readonly gone: ReadonlySet<number>;
  readonly changes: Record<string, RawId>;
  readonly dropped: string[];
}

/** Version 1 counts lines where later ones name an entry. */
function keepFromId(session: Session, head: Head, { gone, changes, dropped }: KeptChange): void {
  const stored = session.scan.heads.at(head.index);
  const { heads } = session.tree;
  dropped.push('firstKeptEntryIndex');
  let kept = heads.at(heads.targetAt(head.index));
  while (kept && gone.has(kept.offset)) kept = heads.at(kept.index + 1);
  const target = kept?.id ?? head.target;
  if (target === undefined) dropped.push('firstKeptEntryId');
  else if (target !== stored?.target) changes['firstKeptEntryId'] = target;
}
