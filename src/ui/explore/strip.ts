import type { PathRequest } from '#analysis/cache/path-requests.js';
import { pathOfEntry, type SessionIndex } from '#analysis/listing/session-index.js';
import { type ExplorerState, selected } from './state.js';

/** One column of the strip: a few neighbouring requests of a path, with recorded tokens. */
export interface StripColumn {
  /** The answer to the request that a click selects: the first with a cache break, else that with the largest prompt. */
  readonly entry: number;
  /** The tokens of the largest prompt. */
  readonly prompt: number;
  readonly cacheRead: number;
  /** One of the requests had a cache break. */
  readonly isBreak: boolean;
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
  /** The share of the path that is compared for cache breaks, from 0 to 1. */
  readonly compared: number;
}

/** The strip of a screen, and the width of its columns in cells. A screen reader hears each request by itself. */
export function stripOn(state: ExplorerState): { readonly strip: Strip; readonly wide: number } {
  const room = state.size.columns - AROUND;
  const strip = stripOf(state.known, selected(state), state.isSpoken ? Infinity : room);
  const wide = Math.floor(room / Math.max(1, strip.columns.length));
  return { strip, wide: Math.max(1, Math.min(MOST_CELLS_OF_A_REQUEST, wide)) };
}

const AROUND = 2;
const MOST_CELLS_OF_A_REQUEST = 3;

/** Divides the requests of the path through an entry into up to `cells` columns. */
export function stripOf(known: SessionIndex, entry: number, cells: number): Strip {
  const path = pathOfEntry(known, entry);
  const all = known.requests.on(path);
  const from = path.indexOf(entry);
  const at = all.findLastIndex(({ place }) => place <= from);
  const size = Math.max(1, Math.ceil(all.length / Math.max(1, cells)));
  const columns: StripColumn[] = [];
  for (let start = 0; start < all.length; start += size) {
    columns.push(columnOf(all.slice(start, start + size), at >= start && at < start + size));
  }
  return {
    columns,
    requests: all.length,
    number: at + 1,
    tokens: all[at]?.prompt ?? 0,
    compared: known.requests.compared(path),
  };
}

/** One column for some neighbouring requests. */
function columnOf(own: readonly PathRequest[], isSelected: boolean): StripColumn {
  const largest = own.reduce((most, each) => (each.prompt > most.prompt ? each : most));
  const broken = own.find((each) => each.broken !== null);
  return {
    entry: (broken ?? largest).entry,
    prompt: largest.prompt,
    cacheRead: largest.cacheRead,
    isBreak: broken !== undefined,
    isCompacted: own.some((each) => each.isCompacted),
    isSelected,
  };
}
