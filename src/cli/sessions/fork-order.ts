import { addTo } from '#base/maps.js';
import { baseName } from '#base/paths.js';
import { toContentName } from '#session/scan/compression.js';

/** The fields that determine the order of a listing. */
export interface ListingItem {
  readonly file: string;
  /** The id in the header, by which some agents name a parent; null if it has none. */
  readonly id?: string | null;
  /** The time of its last entry, in milliseconds since 1970. */
  readonly at: number;
  /** The session file from which this one was forked, by its name at that time. */
  readonly parentSession: string | null;
}

/** A session with its position; `parent` is the index of its origin in the list, -1 for none. */
export interface OrderedItem<Item> {
  readonly item: Item;
  readonly parent: number;
}

/**
 * Newest first, with forks after their origin; such a group is at the position of its newest
 * member. A fork without its origin in the list is on its own.
 */
export function sortInForkOrder<Item extends ListingItem>(items: readonly Item[]): readonly OrderedItem<Item>[] {
  const parents = findParents(items);
  const children = groupChildren(parents);
  const newest = items.map(({ at }) => at);
  for (const index of listInPreorder(children).toReversed()) {
    const parent = parents[index] ?? NONE;
    if (parent !== NONE) newest[parent] = Math.max(newest[parent] ?? 0, newest[index] ?? 0);
  }
  const isBefore = (a: number, b: number): number =>
    (newest[b] ?? 0) - (newest[a] ?? 0) || ((items[a]?.file ?? '') < (items[b]?.file ?? '') ? -1 : 1);
  for (const list of children.values()) list.sort(isBefore);
  const order = listInPreorder(children);
  const places = new Map(order.map((index, place) => [index, place]));
  return order.flatMap((index) => {
    const item = items[index];
    return item ? { item, parent: places.get(parents[index] ?? NONE) ?? NONE } : [];
  });
}

const NONE = -1;

function findParents(items: readonly ListingItem[]): number[] {
  const byFile = new Map(items.map(({ file }, index) => [file, index]));
  const byName = new Map<string, number>();
  // Sessions are moved and copied, but their names contain their id.
  for (const [index, { file }] of items.entries()) {
    const name = toContentName(baseName(file));
    byName.set(name, byName.has(name) ? NONE : index);
  }
  const byId = new Map<string, number>();
  for (const [index, { id }] of items.entries()) {
    if (id) byId.set(id, byId.has(id) ? NONE : index);
  }
  const parents = items.map(({ parentSession }, index) => {
    if (parentSession === null) return NONE;
    const named = byFile.get(parentSession) ?? byName.get(baseName(parentSession));
    const parent = named ?? byId.get(parentSession) ?? NONE;
    return parent === index ? NONE : parent;
  });
  cutCycles(parents);
  return parents;
}

/** Breaks cycles of forks, which no program writes, but edited files may contain. */
function cutCycles(parents: number[]): void {
  /** The walk in which an item was first met, from 1. */
  const walks = new Uint32Array(parents.length);
  for (let start = 0; start < parents.length; start += 1) {
    let next = start;
    let last = start;
    for (; next !== NONE && walks[next] === 0; next = parents[next] ?? NONE) {
      walks[next] = start + 1;
      last = next;
    }
    if (next !== NONE && walks[next] === start + 1) parents[last] = NONE;
  }
}

/** The children of each item, those without a parent at NONE. */
function groupChildren(parents: readonly number[]): ReadonlyMap<number, number[]> {
  const children = new Map<number, number[]>();
  for (const [index, parent] of parents.entries()) {
    addTo(children, parent, index);
  }
  return children;
}

function listInPreorder(children: ReadonlyMap<number, readonly number[]>): readonly number[] {
  const order: number[] = [];
  const waiting = [NONE];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next !== NONE) order.push(next);
    for (const child of (children.get(next) ?? []).toReversed()) waiting.push(child);
  }
  return order;
}
