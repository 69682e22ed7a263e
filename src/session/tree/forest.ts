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
  let hidden = 0;
  for (let index = 0; index < heads.length; index += 1) {
    const isEntryHidden = isHidden(heads, index);
    parents[index] = isEntryHidden ? HIDDEN : heads.parentAt(index);
    if (isEntryHidden) hidden += 1;
  }
  if (!heads.areParentsAbove()) cutCycles(parents, leaf?.index ?? ROOT);
  return { order: sortPreorder(listChildren(parents, heads), heads.length - hidden), parents };
}

/** The parent of a hidden entry. */
const HIDDEN = -2;

/** Whether a later entry has the same id. Entries without an id are never hidden. */
function isHidden(heads: Heads, index: number): boolean {
  if (heads.entryOfIdAt(index) === index) return false;
  const id = heads.idAt(index, 'id');
  return id !== undefined && id !== null;
}

/** Makes a root in every cycle: where the path to the leaf ends, else at the first entry of it in the file. */
function cutCycles(parents: Int32Array, leaf: number): void {
  const marks = new Uint32Array(parents.length);
  const lastFromLeaf = findCycleEnd(parents, { marks, start: leaf, mark: 1 });
  if (lastFromLeaf !== null) parents[lastFromLeaf] = ROOT;
  for (let start = 0; start < parents.length; start += 1) {
    const last = findCycleEnd(parents, { marks, start, mark: start + 2 });
    if (last !== null) parents[findFirstInCycle(parents, last)] = ROOT;
  }
}

interface MarkedPath {
  /** The marks of all entries, 0 for none. */
  readonly marks: Uint32Array;
  /** The entry at which the path starts, or ROOT. */
  readonly start: number;
  /** The mark of this path, which no other one has. */
  readonly mark: number;
}

/** Marks the path from an entry up to one with a mark. Returns the entry whose parent is on the path too; null for none. */
function findCycleEnd(parents: Int32Array, { marks, start, mark }: MarkedPath): number | null {
  let last = ROOT;
  let next = start;
  while (next >= 0 && marks[next] === 0) {
    marks[next] = mark;
    last = next;
    next = parents[next] ?? ROOT;
  }
  return next >= 0 && marks[next] === mark ? last : null;
}

function findFirstInCycle(parents: Int32Array, start: number): number {
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

function sortPreorder({ starts, lists }: Children, length: number): Uint32Array {
  const order = new Uint32Array(length);
  const stack = new Uint32Array(length);
  let waiting = 0;
  let list = 0;
  for (let count = 0; count < length; count += 1) {
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
