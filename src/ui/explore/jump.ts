import { formatBreakClass } from '#analysis/cache/break-classes.js';
import type { CacheBreak } from '#analysis/cache/document.js';
import { rebilledTokensOf } from '#analysis/cache/rebilled.js';
import { findPathThrough } from '#analysis/listing/session-index.js';
import { formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import { isCompaction } from '#session/tree/compaction.js';
import { startSearch } from './search.js';
import { type ExplorerState, findSelectedEntry, type KeyMap, moveToNextRow, moveToRow } from './state.js';

/** Handles the second key of a jump: to the next cache break, compaction or error, or to the one before. */
export function onJumpKey(before: ExplorerState, key: string): ExplorerState {
  const state = { ...before, jump: null };
  return JUMPS[key]?.(state, before.jump === ']' ? 1 : -1) ?? state;
}

const JUMPS: KeyMap<[step: 1 | -1]> = {
  b: moveToBreak,
  c: moveToCompaction,
  e: (state, step) => startSearch({ ...state, highlight: null }, null, step),
};

function moveToCompaction(state: ExplorerState, step: 1 | -1): ExplorerState {
  const { session } = state.sessionIndex;
  const other = step === 1 ? 'after this entry: [c goes back' : 'before this entry: ]c goes on';
  const next = moveToNextRow(state, step, (index) => isCompaction(session, session.tree.heads.at(index)));
  return next ?? { ...state, notice: `no compaction ${other}` };
}

/**
 * Moves to the answer whose request had a cache break, or to the nearest listed entry in the direction of the jump. Waits
 * until the requests in that direction are compared, oldest first.
 */
export function moveToBreak(state: ExplorerState, step: 1 | -1): ExplorerState {
  const { sessionIndex, rows } = state;
  const path = findPathThrough(sessionIndex, findSelectedEntry(state));
  const requests = sessionIndex.requests.listOn(path);
  const breaks = requests.flatMap(({ broken, place }, at) => (broken ? [{ place, number: at + 1, broken }] : []));
  const from = path.indexOf(findSelectedEntry(state));
  const ahead = breaks.filter((each) => (each.place - from) * step > 0);
  const compared = sessionIndex.requests.measureProgress(path);
  if (compared < 1 && (step === -1 || ahead.length === 0))
    return { ...state, awaited: step, notice: `finding cache breaks … ${formatPercent(compared, 1)}` };
  for (const { place, number, broken } of step === 1 ? ahead : ahead.toReversed()) {
    const instead = findListedEntry(state, path, place, step);
    if (instead === null) continue;
    const where = `request ${formatCount(number)} of ${formatCount(requests.length)}`;
    const notice = `cache break at ${where}: ${formatBreakClass(broken.class)}, ${describeRebilled(broken)}; c shows more`;
    const hidden = { wanted: path[place] ?? 0, instead };
    return { ...moveToRow(state, rows.rowOf(instead)), hidden, notice };
  }
  if (breaks.length === 0) return { ...state, notice: 'no cache break on this path' };
  const other = step === 1 ? 'after this entry: [b goes back' : 'before this entry: ]b goes on';
  return { ...state, notice: `${pluralize(breaks.length, 'cache break')} on this path, none ${other}` };
}

/**
 * The entry at a place of the path, or the nearest one beyond it whose row a jump can move to; null if there is none.
 */
function findListedEntry({ rows, list }: ExplorerState, path: Uint32Array, place: number, step: 1 | -1): number | null {
  for (let at = place; at >= 0 && at < path.length; at += step) {
    const entry = path[at] ?? 0;
    const row = rows.rowOf(entry);
    if (row >= 0 && (row - list.cursor) * step > 0) return entry;
  }
  return null;
}

function describeRebilled(broken: CacheBreak): string {
  const mark = broken.rebilledTokens === null ? '~' : '';
  return `${mark}${formatShortCount(rebilledTokensOf(broken))} tokens re-billed`;
}
