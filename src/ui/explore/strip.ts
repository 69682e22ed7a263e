import { asBefore, type EarlierPrompt, resends, unreadTokens } from '#analysis/cache/recorded.js';
import { CHANGES_CONTEXT } from '#context/replay/selection.js';
import { type SessionIndex, pathOfEntry } from './known.js';

/** One column of the strip: a few neighbouring requests of a path, with recorded tokens. */
export interface StripColumn {
  /** The tokens of the largest prompt. */
  readonly prompt: number;
  readonly cacheRead: number;
  /** One of the requests had a cache miss. */
  readonly isRebilled: boolean;
  /** The context was compacted before one of the requests. */
  readonly isCompacted: boolean;
  /** The column contains the selected entry. */
  readonly isSelected: boolean;
}

export interface Strip {
  readonly columns: readonly StripColumn[];
  readonly requests: number;
  /** The number of the last request at or before the selected entry, from 1; 0 if there is none. */
  readonly number: number;
  readonly tokens: number;
}

/** The requests of a path whose usage has been read so far. */
interface Requests {
  readonly path: Uint32Array;
  readonly version: number;
  readonly tip: number;
  readonly all: readonly Request[];
  /** The positions of the requests on the path. */
  readonly places: Uint32Array;
}

interface Request extends Omit<StripColumn, 'isSelected'> {
  /** The tokens that were re-billed. */
  readonly missed: number;
}

/** The requests of the path shown last, which every key needs again. */
const made = new WeakMap<SessionIndex, Requests>();

/** Divides the requests of the path through an entry into up to `cells` columns. */
export function stripOf(known: SessionIndex, entry: number, cells: number): Strip {
  const { path, all, places } = requestsThrough(known, entry);
  const at = lastAtOrAbove(places, path.indexOf(entry));
  const size = Math.max(1, Math.ceil(all.length / Math.max(1, cells)));
  const columns: StripColumn[] = [];
  for (let start = 0; start < all.length; start += size) {
    columns.push(columnOf(all, start, { size, isSelected: at >= start && at < start + size }));
  }
  return { columns, requests: all.length, number: at + 1, tokens: all[at]?.prompt ?? 0 };
}

/** The cache misses on the path through an entry, of the requests read so far. */
export function breaksOf(known: SessionIndex, entry: number): Breaks {
  const { path, all, places } = requestsThrough(known, entry);
  const breaks = all.flatMap(({ isRebilled, missed }, at) =>
    isRebilled ? [{ place: places[at] ?? 0, number: at + 1, missed }] : [],
  );
  return { path, requests: all.length, breaks };
}

/** Whether an entry is the answer to a request with a cache miss. */
export function isMiss(known: SessionIndex, entry: number): boolean {
  const { path, breaks } = breaksOf(known, entry);
  return breaks.some(({ place }) => path[place] === entry);
}

interface Breaks {
  readonly path: Uint32Array;
  readonly requests: number;
  /** `place`: the position of the answer on the path; `number`: that of the request, from 1. */
  readonly breaks: readonly { readonly place: number; readonly number: number; readonly missed: number }[];
}

function columnOf(
  all: readonly Request[],
  start: number,
  { size, isSelected }: { readonly size: number; readonly isSelected: boolean },
): StripColumn {
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

function requestsThrough(known: SessionIndex, entry: number): Requests {
  const tip = known.active[entry] === 1 ? ACTIVE : (known.tips[entry] ?? ACTIVE);
  const before = made.get(known);
  const { version } = known.usages;
  if (before?.tip === tip && before.version === version) return before;
  const path = before?.tip === tip ? before.path : pathOfEntry(known, entry);
  const requests = { path, version, tip, ...requestsOn(known, path) };
  made.set(known, requests);
  return requests;
}

const ACTIVE = -1;

function requestsOn({ session, usages }: SessionIndex, path: Uint32Array): Pick<Requests, 'all' | 'places'> {
  const { heads } = session.tree;
  const all: Request[] = [];
  const places: number[] = [];
  let before: EarlierPrompt | null = null;
  let [isCompacted, isChanged] = [false, false];
  for (const [place, index] of path.entries()) {
    const type = heads.typeAt(index);
    if (CHANGES_CONTEXT.has(type)) isChanged = true;
    if (type === 'compaction') isCompacted = true;
    if (heads.roleAt(index) !== 'assistant') continue;
    const usage = usages.at(index);
    const isRebilled = usage !== null && resends(before, usage, isChanged);
    const missed = isRebilled && before ? unreadTokens(before, usage) : 0;
    const [prompt, cacheRead] = [usage?.promptTokens ?? 0, usage?.cacheRead ?? 0];
    all.push({ prompt, cacheRead, isRebilled, isCompacted, missed });
    places.push(place);
    if (usage) before = asBefore(usage, before);
    [isCompacted, isChanged] = [false, false];
  }
  return { all, places: Uint32Array.from(places) };
}
