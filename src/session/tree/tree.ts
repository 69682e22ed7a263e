import type { Head } from '../heads/head.js';
import type { Heads } from '../heads/heads.js';

/** The entries of a session by id. Several roots are normal, and so are children that precede their parent. */
export interface Tree {
  readonly heads: Heads;
  /** The active leaf: the last entry of the file, of any type. null: nothing is active. */
  readonly leaf: Head | null;
}

export function buildTree(heads: Heads): Tree {
  const last = heads.last ?? null;
  // Pi reads an id that is null as "before the first entry".
  return { heads, leaf: last?.id === null ? null : last };
}

/** The entries from the root to `head`. Ends at a missing parent, and cuts a cycle where it would repeat. */
export function pathTo({ heads }: Tree, head: Head): readonly Head[] {
  return [...heads.ancestorsOf(head.index), head];
}

/** The entries from the root to the active leaf; none if nothing is active. */
export function activePath(tree: Tree): readonly Head[] {
  return tree.leaf ? pathTo(tree, tree.leaf) : [];
}

/** Pi follows any parent id that is truthy and known; every other entry is a root. */
export function parentOf({ heads }: Tree, head: Head): Head | undefined {
  return heads.at(heads.parentAt(head.index));
}
