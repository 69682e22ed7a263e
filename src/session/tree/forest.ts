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

/**
 * The trees of a session. Roots and children are in the order of Pi's `getTree`, but those without a valid time come
 * last.
 */
export function forestOf({ heads, leaf }: Tree): Forest {
  const parents = new Int32Array(heads.length);
  let nodes = 0;
  for (let index = 0; index < heads.length; index += 1) {
    const isNode = isReached(heads, index);
    parents[index] = isNode ? heads.parentAt(index) : HIDDEN;
    if (isNode) nodes += 1;
  }
  if (!heads.areParentsAbove()) cutCycles(parents, leaf?.index ?? ROOT);
  return { order: sortPreorder(listChildren(parents, heads), nodes), parents };
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
    if (next >= 0 && walkOf[next] === walk) parents[isFromLeaf ? last : findCycleStart(parents, next)] = ROOT;
  }
}

function findCycleStart(parents: Int32Array, start: number): number {
  let first = start;
  for (let next = parents[start] ?? start; next !== start; next = parents[next] ?? start) first = Math.min(first, next);
  return first;
}

/**
 * Lists of children in one array: those of entry `i` from `starts[i + 1]` up to `starts[i + 2]`, roots first of all.
 */
interface Children {
  readonly starts: Uint32Array;
  readonly lists: Uint32Array;
}

function listChildren(parents: Int32Array, heads: Heads): Children {
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

function sortPreorder({ starts, lists }: Children, nodes: number): Uint32Array {
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
