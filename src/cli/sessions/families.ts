import { addTo } from '#base/maps.js';
import { baseName } from '#base/paths.js';
import type { Io } from '#platform/io.js';
import type { AgentPeek } from '#session/agents/reader.js';
import type { SessionPeek } from '#session/scan/peek.js';
import { type NamedFile, peekSessionHeader } from './named-files.js';

/** A session file with its header; null if it has none, or its beginning is inconclusive. */
interface FamilyMember extends NamedFile {
  readonly header: SessionPeek | AgentPeek | null;
}

/** Sessions that derive from each other, parents first. */
export type Family = readonly FamilyMember[];

/**
 * Groups files that may share entries: an original, then its forks, clones and copies. Any other file is a group by
 * itself. Groups come in the order of their first files.
 */
export async function groupFamilies(io: Pick<Io, 'files'>, named: readonly NamedFile[]): Promise<readonly Family[]> {
  const found = await withHeaders(io, named);
  return groupsBy(keysOf(found)).map((group) => {
    const members = group.flatMap((at) => found[at] ?? []);
    if (members.length < 2) return members;
    const listed = members.map((member) => ({
      ...member,
      at: 0,
      id: member.header?.id ?? null,
      parentSession: member.header?.parentSession ?? null,
    }));
    return sortInForkOrder(listed).map(({ item }) => item);
  });
}

async function withHeaders(io: Pick<Io, 'files'>, named: readonly NamedFile[]): Promise<readonly FamilyMember[]> {
  const found = named.map((one) => ({ ...one, header: one.file === '-' ? null : peekSessionHeader(io, one) }));
  const isOther = ({ header }: (typeof found)[number]): boolean => header === 'no-session';
  const foreign = found.some(isOther) ? await import('./agent-files.js') : null;
  return found.map(({ header, ...one }) => {
    if (header === 'no-session') return { ...one, header: foreign?.readAgentHeader(io, one) ?? null };
    return { ...one, header };
  });
}

/** Keys of each file, such that two files with one in common are related. */
function keysOf(members: readonly FamilyMember[]): readonly (readonly string[])[] {
  // Sessions are moved and copied, but their names hold their id.
  const parents = members.map(({ header }) => baseName(header?.parentSession ?? ''));
  const isParent = new Set(parents);
  return members.map(({ file, header }, at) => {
    const name = baseName(file);
    const first = header !== null && 'firstEntry' in header ? header.firstEntry : null;
    return [
      ...(header && header.id !== '' ? [`id ${header.id}`] : []),
      ...(parents[at] ? [`file ${parents[at]}`, `id ${parents[at].replace(/\.jsonl$/, '')}`] : []),
      ...(isParent.has(name) ? [`file ${name}`] : []),
      ...(first === null ? [] : [`first ${first}`]),
    ];
  });
}

/** The indices of items in groups: two with a key in common are in the same. */
function groupsBy(keys: readonly (readonly string[])[]): readonly (readonly number[])[] {
  const leaders = keys.map((_, at) => at);
  const leaderOf = (at: number): number => {
    let leader = at;
    while (leaders[leader] !== leader) leader = leaders[leader] ?? leader;
    leaders[at] = leader;
    return leader;
  };
  const firstWith = new Map<string, number>();
  for (const [at, own] of keys.entries()) {
    for (const key of own) {
      const first = firstWith.get(key);
      if (first === undefined) firstWith.set(key, at);
      else {
        const a = leaderOf(first);
        const b = leaderOf(at);
        leaders[Math.max(a, b)] = Math.min(a, b);
      }
    }
  }
  const groups = new Map<number, number[]>();
  for (const at of keys.keys()) addTo(groups, leaderOf(at), at);
  return [...groups.values()];
}

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
  const parents = parentsOf(items);
  const children = childrenOf(parents);
  const newest = items.map(({ at }) => at);
  for (const index of preorder(children).toReversed()) {
    const parent = parents[index] ?? NONE;
    if (parent !== NONE) newest[parent] = Math.max(newest[parent] ?? 0, newest[index] ?? 0);
  }
  const isBefore = (a: number, b: number): number =>
    (newest[b] ?? 0) - (newest[a] ?? 0) || ((items[a]?.file ?? '') < (items[b]?.file ?? '') ? -1 : 1);
  for (const list of children.values()) list.sort(isBefore);
  const order = preorder(children);
  const places = new Map(order.map((index, place) => [index, place]));
  return order.flatMap((index) => {
    const item = items[index];
    return item ? { item, parent: places.get(parents[index] ?? NONE) ?? NONE } : [];
  });
}

const NONE = -1;

function parentsOf(items: readonly ListingItem[]): number[] {
  const byFile = new Map(items.map(({ file }, index) => [file, index]));
  const byName = new Map<string, number>();
  // Sessions are moved and copied, but their names contain their id.
  for (const [index, { file }] of items.entries())
    byName.set(baseName(file), byName.has(baseName(file)) ? NONE : index);
  const byId = new Map<string, number>();
  for (const [index, { id }] of items.entries()) if (id) byId.set(id, byId.has(id) ? NONE : index);
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
  const walkOf = new Uint32Array(parents.length);
  for (let start = 0; start < parents.length; start += 1) {
    let next = start;
    let last = start;
    for (; next !== NONE && walkOf[next] === 0; next = parents[next] ?? NONE) {
      walkOf[next] = start + 1;
      last = next;
    }
    if (next !== NONE && walkOf[next] === start + 1) parents[last] = NONE;
  }
}

/** The children of each item, those without a parent at NONE. */
function childrenOf(parents: readonly number[]): ReadonlyMap<number, number[]> {
  const children = new Map<number, number[]>();
  for (const [index, parent] of parents.entries()) {
    addTo(children, parent, index);
  }
  return children;
}

function preorder(children: ReadonlyMap<number, readonly number[]>): readonly number[] {
  const order: number[] = [];
  const waiting = [NONE];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next !== NONE) order.push(next);
    for (const child of (children.get(next) ?? []).toReversed()) waiting.push(child);
  }
  return order;
}
