import type { Heads } from '../heads/heads.js';
import type { Tree } from './tree.js';

/** The parent of a root. */
export const ROOT = -1;

/**
 * The entries of a session as trees, by column. An entry hidden by a later one with the same id is in none of
 * them, and each cycle is cut once, so every other entry is in exactly one.
 */
export interface Forest {
  /** Entry indices, each parent before its children: roots in file order, children by time. */
  readonly order: Uint32Array;
  /** The parent of each entry, or ROOT. */
  readonly parents: Int32Array;
}

/** The trees of a session. Roots and children are in the order of Pi's `getTree`, but those without a valid time come last. */
export function forestOf({ heads, leaf }: Tree): Forest {
  const parents = new Int32Array(heads.length);
  let nodes = 0;
  for (let index = 0; index < heads.length; index += 1) {
    const isNode = isReached(heads, index);
    parents[index] = isNode ? heads.parentAt(index) : HIDDEN;
    if (isNode) nodes += 1;
  }
  if (!heads.areParentsAbove()) cutCycles(parents, leaf?.index ?? ROOT);
  return { order: preorder(childrenOf(parents, heads), nodes), parents };
}

const HIDDEN = -2;

/** Whether an entry is not an older version of an id. Entries without an id are never hidden. */
function isReached(heads: Heads, index: number): boolean {
  if (heads.entryOfIdAt(index) === index) return true;
  const id = heads.idAt(index, 'id');
  return id === undefined || id === null;
}

/** Makes a root in every cycle: where the path to the leaf ends, else at the first entry of it in the file. */
function cutCycles(parents: Int32Array, leaf: number): void {
  /** The walk in which an entry was first met, from 1. */
  const walkOf = new Uint32Array(parents.length);
  for (let walk = 1; walk <= parents.length + 1; walk += 1) {
    const isFromLeaf = walk === 1;
    let last = ROOT;
    let next = isFromLeaf ? leaf : walk - 2;
    while (next >= 0 && walkOf[next] === 0) {
      walkOf[next] = walk;
      last = next;
      next = parents[next] ?? ROOT;
    }
    if (next >= 0 && walkOf[next] === walk) parents[isFromLeaf ? last : firstOfCycle(parents, next)] = ROOT;
  }
}

function firstOfCycle(parents: Int32Array, start: number): number {
  let first = start;
  for (let next = parents[start] ?? start; next !== start; next = parents[next] ?? start) first = Math.min(first, next);
  return first;
}

/** Lists of children in one array: those of entry `i` from `starts[i + 1]` up to `starts[i + 2]`, roots first of all. */
interface Children {
  readonly starts: Uint32Array;
  readonly lists: Uint32Array;
}

function childrenOf(parents: Int32Array, heads: Heads): Children {
  const starts = new Uint32Array(parents.length + 2);
  for (let index = 0; index < parents.length; index += 1) {
    const parent = parents[index] ?? HIDDEN;
    if (parent !== HIDDEN) starts[parent + 2] = (starts[parent + 2] ?? 0) + 1;
  }
  for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
  const lists = new Uint32Array(starts.at(-1) ?? 0);
  const ends = starts.slice();
  for (let index = 0; index < parents.length; index += 1) {
    const list = (parents[index] ?? HIDDEN) + 1;
    if (list < 0) continue;
    const at = ends[list] ?? 0;
    lists[at] = index;
    ends[list] = at + 1;
  }
  for (let list = 1; list <= parents.length; list += 1) {
    const start = starts[list] ?? 0;
    const end = starts[list + 1] ?? 0;
    if (end - start > 1) sortByTime(lists.subarray(start, end), heads);
  }
  return { starts, lists };
}

function sortByTime(list: Uint32Array, heads: Heads): void {
  const timeOf = (index: number): number => {
    const time = heads.timeAt(index);
    return Number.isNaN(time) ? Number.MAX_VALUE : time;
  };
  const isSorted = list.every((index, at) => at === 0 || timeOf(list[at - 1] ?? 0) <= timeOf(index));
  if (!isSorted) list.sort((a, b) => timeOf(a) - timeOf(b) || a - b);
}

function preorder({ starts, lists }: Children, nodes: number): Uint32Array {
  const order = new Uint32Array(nodes);
  const stack = new Uint32Array(nodes);
  let waiting = 0;
  let list = 0;
  for (let count = 0; count < nodes; count += 1) {
    const first = starts[list] ?? 0;
    for (let at = (starts[list + 1] ?? 0) - 1; at >= first; at -= 1) {
      stack[waiting] = lists[at] ?? 0;
      waiting += 1;
    }
    waiting -= 1;
    const index = stack[waiting] ?? 0;
    order[count] = index;
    list = index + 1;
  }
  return order;
}

/** The entries of a forest to show. */
export interface OutlineChoice {
  /** Called at most once for each entry, parents first, and only for entries within `from` and `depth`. */
  isVisible(index: number): boolean;
  /** The single entry, always visible, at which the rows begin; null for all roots. */
  readonly from: number | null;
  /** The number of levels shown, counted from a shown root. */
  readonly depth: number;
}

/** A visible entry with its position. Its parent is its nearest visible ancestor. */
export interface OutlineRow {
  readonly index: number;
  /** 1 for a root, one more for each visible ancestor. */
  readonly depth: number;
  /** The number of its visible children, including those that are too deep to be shown. */
  readonly children: number;
  /** The number of forks before it: entries that continue a chain have the same indentation as their parent. */
  readonly forks: number;
  /** Its index among its siblings. */
  readonly place: 'only' | 'last' | 'not last';
}

/** The rows of the visible entries, parents before children, as an indented list prints them. */
export function* outlineOf(forest: Forest, choice: OutlineChoice): Generator<OutlineRow> {
  const { links, depths, childCounts, lastChildren } = linked(forest, choice);
  const forks = new Uint32Array(links.length);
  const { order } = forest;
  for (let at = 0; at < order.length; at += 1) {
    const index = order[at] ?? 0;
    const parent = links[index] ?? OUTSIDE;
    const depth = depths[index] ?? 0;
    if (depth === 0 || depth > choice.depth) continue;
    const isForked = (childCounts[parent + 1] ?? 0) > 1;
    const above = (parent === ROOT ? 0 : (forks[parent] ?? 0)) + (isForked ? 1 : 0);
    forks[index] = above;
    const place = !isForked ? 'only' : lastChildren[parent + 1] === index ? 'last' : 'not last';
    yield { index, depth, children: childCounts[index + 1] ?? 0, forks: above, place };
  }
}

const OUTSIDE = -2;

/** The visible tree by column. Children are counted at the index of their parent plus one, roots at 0. */
interface Links {
  /** The nearest visible ancestor of each entry or ROOT, or OUTSIDE if it is not included. */
  readonly links: Int32Array;
  /** The depth of each visible entry, 0 for every other one. */
  readonly depths: Uint32Array;
  readonly childCounts: Uint32Array;
  readonly lastChildren: Uint32Array;
}

function linked({ order, parents }: Forest, { isVisible, from, depth }: OutlineChoice): Links {
  const links = new Int32Array(parents.length);
  const depths = new Uint32Array(parents.length);
  const childCounts = new Uint32Array(parents.length + 1);
  const lastChildren = new Uint32Array(parents.length + 1);
  for (let at = 0; at < order.length; at += 1) {
    const index = order[at] ?? 0;
    const parent = parents[index] ?? ROOT;
    const isVisibleParent = parent !== ROOT && (depths[parent] ?? 0) > 0;
    const beyond = from === null ? ROOT : OUTSIDE;
    const link = index === from ? ROOT : parent === ROOT ? beyond : isVisibleParent ? parent : (links[parent] ?? ROOT);
    const depthAbove = link < 0 ? 0 : (depths[link] ?? 0);
    const isTooDeep = depthAbove > depth;
    links[index] = isTooDeep ? OUTSIDE : link;
    if (isTooDeep || link === OUTSIDE || (index !== from && !isVisible(index))) continue;
    depths[index] = depthAbove + 1;
    childCounts[link + 1] = (childCounts[link + 1] ?? 0) + 1;
    lastChildren[link + 1] = index;
  }
  return { links, depths, childCounts, lastChildren };
}
