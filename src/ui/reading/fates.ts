import { changesOfMessages, isHead } from '#analysis/search/context-changes.js';
import { CHANGES_CONTEXT, onlyAddsMessage } from '#context/replay/selection.js';
import type { WalkOptions } from '#context/walk.js';
import type { Session } from '#session/session.js';
import { type Head, keyOfHead } from '#session/table/head.js';

/** An entry whose message is not in the context at the end of a path as it is stored. */
export interface Fate {
  readonly entry: Head;
  /** Whether the context has a replacement of its content. */
  readonly isChanged: boolean;
  /** The compaction, transform or edit that last changed or removed it. */
  readonly by: Head;
}

/** The entries of a path that the context at its end omits or changes, in the order of the path. */
export function fatesAlong(session: Session, path: readonly Head[], options: WalkOptions): readonly Fate[] {
  const { byEntry } = changesOfMessages(session, path, options);
  return path.flatMap((entry) => {
    const last = (byEntry.get(keyOfHead(entry)) ?? []).findLast(({ by }) => hasEffect(by, entry));
    return last && last.form !== 'stored' ? [{ entry, isChanged: isHead(last.form), by: last.by }] : [];
  });
}

/** An edit may name any entry, but changes only messages; the text of a compaction or transform cannot be edited. */
function hasEffect(by: Head, on: Head): boolean {
  return onlyAddsMessage(on) || (by.type !== 'context_edit' && CHANGES_CONTEXT.has(on.type));
}
