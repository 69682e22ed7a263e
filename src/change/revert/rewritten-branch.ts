import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { RESTORE_TYPE, REWRITE_TYPE } from '#context/replay/ctx-entries.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { buildMovedLabels, copyEntries, renameReferences } from '../plan/copy-entries.js';
import { buildIdSource, type EntryStamps } from '../plan/entry-stamps.js';

/** A branch that copies another one with changes. */
export interface RewrittenBranch {
  /** The place of its first entry, which is no copy. */
  readonly at: number;
  /** The path to the end of the branch that it copies. */
  readonly base: readonly Head[];
  /** The entries after it. */
  readonly later: readonly Head[];
  /** The originals by the ids of their copies. */
  readonly originals: ReadonlyMap<RawId, string>;
}

/** The newest rewritten branch whose first entry is selected; null if there is none. */
export function findRewrittenBranch(
  session: Session,
  path: readonly Head[],
  selected: ReadonlySet<number>,
): RewrittenBranch | null {
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (head?.type !== 'custom' || !selected.has(head.index)) continue;
    const { customType, data } = session.entry(head);
    if (customType !== REWRITE_TYPE || !isObject(data) || !Array.isArray(data.copies)) continue;
    const copies = data.copies as readonly unknown[];
    const to = at + 1 + copies.length;
    const leaf = session.tree.heads.find(asString(data.leaf) ?? '');
    if (!leaf) continue;
    const originals = new Map<RawId, string>();
    for (const [nth, of] of copies.entries()) {
      if (typeof of === 'string') originals.set(path[at + 1 + nth]?.id ?? null, of);
    }
    return { at, base: pathTo(session.tree, leaf), later: path.slice(to), originals };
  }
  return null;
}

/** Entries that return to the copied branch. Entries that followed the copy are appended to it. */
export function buildReturnEntries(
  session: Session,
  path: readonly Head[],
  { at, base, later, originals }: RewrittenBranch,
  { now, newId }: EntryStamps,
): readonly JsonObject[] {
  const nextId = buildIdSource(session, newId);
  const timestamp = new Date(now()).toISOString();
  const id = nextId();
  const first = {
    type: 'custom',
    customType: RESTORE_TYPE,
    data: { undone: [formatId(path[at]?.id)] },
    id,
    parentId: formatId(base.at(-1)?.id),
    timestamp,
  };
  const view = { ...session, entry: (head: Head) => renameReferences(session.entry(head), originals) };
  const again = copyEntries({ session: view, path: [...base, ...later] }, { from: base.length, newId: nextId });
  const copies = again.entries.map((entry, nth) => (nth === 0 ? { ...entry, parentId: id } : entry));
  const parentId = formatId(copies.at(-1)?.id as RawId) ?? id;
  const labels = buildMovedLabels(session, { entries: copies, renamed: originals }, { parentId, timestamp, nextId });
  return [first, ...copies, ...labels];
}

export function buildBranchOnlyError({ file }: Session): CtxError {
  return new CtxError('refused', 'a rewritten branch is undone by a branch', { where: file, hint: 'omit --as' });
}
