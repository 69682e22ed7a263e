import { memoizeByObject } from '#base/memoize.js';
import type { OpenSession } from '#context/open.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { indexLabels } from '#session/session.js';
import { type Forest, forestOf, ROOT } from '#session/tree/forest.js';
import { outlineOf } from '#session/tree/outline.js';
import type { Tree } from '#session/tree/tree.js';
import { PathRequests } from '../cache/path-requests.js';
import { ListingFilter, ListingRows } from './listing-rows.js';
import { Previews } from './previews.js';
import { TREE_FILTERS, type TreeFilter } from './tree-filter.js';

/** A session at the last look at its file, with indices and caches for those who browse it. */
export interface SessionIndex {
  readonly session: OpenSession;
  readonly title: string;
  readonly forest: Forest;
  readonly labels: ReadonlyMap<number, string>;
  /** The path to the leaf, from its root on. */
  readonly activePath: Uint32Array;
  /** One byte for each entry: 1 if it is on the active path. */
  readonly active: Uint8Array;
  /** The newest leaf below each entry. */
  readonly tips: Uint32Array;
  readonly filtering: ListingFilter;
  readonly previews: Previews;
  readonly requests: PathRequests;
}

/** Builds the index of a session. `before`: the index of the same file when it was shorter. */
export function buildSessionIndex(session: OpenSession, now: () => number, before?: SessionIndex): SessionIndex {
  const { tree } = session;
  const labels = indexLabels(session);
  const activePath = tree.leaf ? listPathIndices(tree, tree.leaf.index) : new Uint32Array();
  const active = new Uint8Array(tree.heads.length);
  for (const index of activePath) active[index] = 1;
  return {
    session,
    title: findSessionTitle(session),
    forest: forestOf(tree),
    labels,
    activePath,
    active,
    tips: findTips(tree),
    filtering: new ListingFilter(session, labels, before?.filtering),
    previews: new Previews(session, now, before?.previews),
    requests: new PathRequests(session, before?.requests),
  };
}

/** The indices of the entries from the root to one. */
function listPathIndices({ heads }: Tree, last: number): Uint32Array {
  const seen = new Uint8Array(heads.length);
  let length = 0;
  for (let next = last; next !== ROOT && seen[next] === 0; next = heads.parentAt(next)) {
    seen[next] = 1;
    length += 1;
  }
  const path = new Uint32Array(length);
  for (let at = length - 1, next = last; at >= 0; at -= 1, next = heads.parentAt(next)) path[at] = next;
  return path;
}

/**
 * The path that shows an entry: the active path, or else the newest branch through the entry. Equal paths are one
 * object.
 */
export function findPathThrough(sessionIndex: SessionIndex, index: number): Uint32Array {
  const { activePath, active, tips } = sessionIndex;
  return active[index] === 1 ? activePath : listBranchTo(sessionIndex, tips[index] ?? index);
}

const listBranchTo = memoizeByObject(({ session }: SessionIndex, tip: number) => listPathIndices(session.tree, tip));

/** The rows of the tree by filter: users switch back and forth. */
const treesBy = new Map(TREE_FILTERS.map((filter) => [filter, memoizeByObject(buildRows)]));

export function listTreeRows(sessionIndex: SessionIndex, filter: TreeFilter): ListingRows {
  const rows = treesBy.get(filter) ?? buildRows;
  return rows(sessionIndex, filter, sessionIndex.filtering.share(filter));
}

/** `_share`: the share of the session that was read for the filter, with which the rows change. */
function buildRows({ forest, filtering, session }: SessionIndex, filter: TreeFilter, _share: number): ListingRows {
  const choice = { isVisible: filtering.passing(filter), from: null, depth: Infinity };
  return ListingRows.ofTree(outlineOf(forest, choice), session.tree.heads.length);
}

/** The entries of the path through an entry. */
export function listLogRows(sessionIndex: SessionIndex, filter: TreeFilter, index: number): ListingRows {
  const passes = sessionIndex.filtering.passing(filter);
  return ListingRows.ofPath(
    findPathThrough(sessionIndex, index).filter((each) => passes(each)),
    sessionIndex.session.tree.heads.length,
  );
}

function findTips({ heads }: Tree): Uint32Array {
  const tips = new Uint32Array(heads.length);
  const isSet = new Uint8Array(heads.length);
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    if (isSet[index] === 0) tips[index] = index;
    const parent = heads.parentAt(index);
    if (parent === ROOT || isSet[parent] === 1) continue;
    tips[parent] = tips[index] ?? index;
    isSet[parent] = 1;
  }
  return tips;
}
