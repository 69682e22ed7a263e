import type { OpenSession } from '../open.js';
import { type Forest, forestOf, ROOT } from '../session/forest.js';
import type { RawId } from '../session/head.js';
import { outlineOf } from '../session/outline.js';
import { labelsOf } from '../session/session.js';
import type { Tree } from '../session/tree.js';
import { titleOf } from '../views/title.js';
import type { TreeFilter } from '../views/tree-filter.js';
import { Filtering } from './filtering.js';
import { Previews } from './previews.js';
import { Rows } from './rows.js';
import { Usages } from './usages.js';

/** A session as it was when it was last looked at, with what was found out about it. */
export interface Known {
  readonly session: OpenSession;
  readonly title: string;
  readonly forest: Forest;
  readonly labels: ReadonlyMap<number, string>;
  /** The path to the leaf, from its root on. */
  readonly activePath: Uint32Array;
  /** Of each entry, 1 if it is on that path. */
  readonly active: Uint8Array;
  /** Of each entry the newest one at the end of a branch through it. */
  readonly tips: Uint32Array;
  readonly filtering: Filtering;
  readonly previews: Previews;
  readonly usages: Usages;
}

/** `before`: what was known of the same file when it was shorter. */
export function knownOf(session: OpenSession, now: () => number, before?: Known): Known {
  const { tree } = session;
  const labels = labelsByIndex(session);
  const activePath = tree.leaf ? pathThrough(tree, tree.leaf.index) : new Uint32Array();
  const active = new Uint8Array(tree.heads.length);
  for (const index of activePath) active[index] = 1;
  return {
    session,
    title: titleOf(session),
    forest: forestOf(tree),
    labels,
    activePath,
    active,
    tips: tipsOf(tree),
    filtering: new Filtering(session, labels, before?.filtering),
    previews: new Previews(session, now, before?.previews),
    usages: new Usages(session, before?.usages),
  };
}

/** The entries from the root to one, by index. */
function pathThrough({ heads }: Tree, last: number): Uint32Array {
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

/** The path that an entry is seen on: the active one, else that of the newest branch through it. */
export function pathOfEntry({ session, activePath, active, tips }: Known, index: number): Uint32Array {
  return active[index] === 1 ? activePath : pathThrough(session.tree, tips[index] ?? index);
}

export function treeRows({ forest, filtering, session }: Known, filter: TreeFilter): Rows {
  const choice = { isVisible: filtering.passing(filter), from: null, depth: Infinity };
  return Rows.of(outlineOf(forest, choice), session.tree.heads.length);
}

/** The entries of the path through an entry. */
export function logRows(known: Known, filter: TreeFilter, index: number): Rows {
  const passes = known.filtering.passing(filter);
  return Rows.inLine(
    pathOfEntry(known, index).filter((each) => passes(each)),
    known.session.tree.heads.length,
  );
}

function tipsOf({ heads }: Tree): Uint32Array {
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

function labelsByIndex(session: OpenSession): ReadonlyMap<number, string> {
  const labels = new Map<number, string>();
  for (const [id, label] of labelsOf(session)) {
    // The ids that labels stand at are as their entries give them.
    const head = session.tree.heads.find(id as RawId);
    if (head) labels.set(head.index, label);
  }
  return labels;
}
