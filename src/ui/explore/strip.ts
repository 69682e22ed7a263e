import type { PathRequest } from '#analysis/cache/path-requests.js';
import { findPathThrough, type SessionIndex } from '#analysis/listing/session-index.js';
import { type ExplorerState, findSelectedEntry } from './state.js';

export type Strip = ReturnType<typeof buildScreenStrip>;
export type StripColumn = Strip['columns'][number];

/** The strip of a screen. A screen reader hears each request by itself. */
export function buildScreenStrip(state: ExplorerState) {
  const { shown, size } = state;
  const room = size.columns - AROUND;
  const strip = buildStrip(state.sessionIndex, findSelectedEntry(state), state.isSpoken ? Infinity : room);
  const wide = Math.floor(room / Math.max(1, strip.columns.length));
  return {
    ...strip,
    /** The size of the selected context, as in its title; null until it is built. */
    context: shown?.kind === 'ready' && shown.index === findSelectedEntry(state) ? shown.overview.meta.size : null,
    /** The cells of a column. */
    wide: Math.max(1, Math.min(MOST_CELLS_OF_A_REQUEST, wide)),
  };
}

const AROUND = 2;
const MOST_CELLS_OF_A_REQUEST = 3;

/** Divides the requests of the path through an entry into up to `cells` columns. */
export function buildStrip(sessionIndex: SessionIndex, entry: number, cells: number) {
  const path = findPathThrough(sessionIndex, entry);
  const all = sessionIndex.requests.listOn(path);
  const from = path.indexOf(entry);
  const at = all.findLastIndex(({ place }) => place <= from);
  const size = Math.max(1, Math.ceil(all.length / Math.max(1, cells)));
  const columns = Array.from({ length: Math.ceil(all.length / size) }, (_, column) =>
    buildColumn(all.slice(column * size, (column + 1) * size), Math.floor(at / size) === column),
  );
  return {
    columns,
    requests: all.length,
    /** The number of the last request at or before the selected entry, from 1; 0 if there is none. */
    number: at + 1,
    /** The share of the path that is compared for cache breaks, from 0 to 1. */
    compared: sessionIndex.requests.measureProgress(path),
  };
}

/** One column for some neighbouring requests, with recorded tokens. `isSelected`: it contains the selected entry. */
function buildColumn(own: readonly PathRequest[], isSelected: boolean) {
  const { entry, prompt, cacheRead } = own.reduce((most, each) => (each.prompt > most.prompt ? each : most));
  const broken = own.find((each) => each.broken !== null);
  return {
    /**
     * The answer to the request that a click selects: the first with a cache break, else that with the largest prompt.
     */
    entry: broken?.entry ?? entry,
    /** The tokens of the largest prompt. */
    prompt,
    cacheRead,
    isBreak: broken !== undefined,
    /** The context was compacted before one of the requests. */
    isCompacted: own.some((each) => each.isCompacted),
    isSelected,
  };
}
