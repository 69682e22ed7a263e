import { asBefore, type Before, missedTokens } from '#analysis/cache/recorded.js';
import { type Known, pathOfEntry } from './known.js';

/** A few requests of a path, one beside another. All tokens are as a provider recorded them. */
export interface Column {
  /** Of the biggest prompt. */
  readonly prompt: number;
  readonly cacheRead: number;
  /** One of them paid again for what had been sent before. */
  readonly isRebilled: boolean;
  /** The context was compacted before one of them. */
  readonly isCompacted: boolean;
  /** The selected entry stands here. */
  readonly isSelected: boolean;
}

export interface Strip {
  readonly columns: readonly Column[];
  readonly requests: number;
  /** Of the requests, counted from 1, the last one at or above the selected entry; 0 where there is none. */
  readonly number: number;
  readonly tokens: number;
}

/** What is known of all requests of a path, until more of them are read. */
interface Requests {
  readonly path: Uint32Array;
  readonly version: number;
  readonly tip: number;
  readonly all: readonly Request[];
  /** Where the requests stand on the path. */
  readonly places: Uint32Array;
}

type Request = Omit<Column, 'isSelected'>;

/** The path that was looked at last: it is looked at again with every key. */
const made = new WeakMap<Known, Requests>();

/** The requests of the path through an entry in so many columns, as far as their usage was read. */
export function stripOf(known: Known, selected: number, cells: number): Strip {
  const { path, all, places } = requestsThrough(known, selected);
  const at = lastAtOrAbove(places, path.indexOf(selected));
  const size = Math.max(1, Math.ceil(all.length / Math.max(1, cells)));
  const columns: Column[] = [];
  for (let start = 0; start < all.length; start += size) {
    columns.push(columnOf(all, start, { size, isSelected: at >= start && at < start + size }));
  }
  return { columns, requests: all.length, number: at + 1, tokens: all[at]?.prompt ?? 0 };
}

function columnOf(
  all: readonly Request[],
  start: number,
  { size, isSelected }: { readonly size: number; readonly isSelected: boolean },
): Column {
  let [prompt, cacheRead, isRebilled, isCompacted] = [0, 0, false, false];
  for (let at = start; at < Math.min(all.length, start + size); at += 1) {
    const request = all[at];
    if (!request) continue;
    if (request.prompt > prompt) [prompt, cacheRead] = [request.prompt, request.cacheRead];
    isRebilled ||= request.isRebilled;
    isCompacted ||= request.isCompacted;
  }
  return { prompt, cacheRead, isRebilled, isCompacted, isSelected };
}

function lastAtOrAbove(places: Uint32Array, place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function requestsThrough(known: Known, selected: number): Requests {
  const tip = known.active[selected] === 1 ? ACTIVE : (known.tips[selected] ?? ACTIVE);
  const before = made.get(known);
  const { version } = known.usages;
  if (before?.tip === tip && before.version === version) return before;
  const path = before?.tip === tip ? before.path : pathOfEntry(known, selected);
  const requests = { path, version, tip, ...requestsOn(known, path) };
  made.set(known, requests);
  return requests;
}

const ACTIVE = -1;

function requestsOn({ session, usages }: Known, path: Uint32Array): Pick<Requests, 'all' | 'places'> {
  const { heads } = session.tree;
  const all: Request[] = [];
  const places: number[] = [];
  let before: Before | null = null;
  let isCompacted = false;
  for (const [place, index] of path.entries()) {
    const type = heads.typeAt(index);
    // As Pi counts: what a compaction has changed is not billed again.
    if (type === 'compaction' || type === 'branch_summary') before = null;
    if (type === 'compaction') isCompacted = true;
    if (heads.roleAt(index) !== 'assistant') continue;
    const usage = usages.at(index);
    const isRebilled = usage !== null && missedTokens(before, usage) !== null;
    all.push({ prompt: usage?.prompt ?? 0, cacheRead: usage?.cacheRead ?? 0, isRebilled, isCompacted });
    places.push(place);
    if (usage) before = asBefore(usage, before);
    isCompacted = false;
  }
  return { all, places: Uint32Array.from(places) };
}
