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
  const { session } = state.known;
  const other = step === 1 ? 'after this entry: [c goes back' : 'before this entry: ]c goes on';
  const next = moveToNextRow(state, step, (index) => isCompaction(session, session.tree.heads.at(index)));
  return next ?? { ...state, notice: `no compaction ${other}` };
}

/**
 * Moves to the answer whose request had a cache break, or to the nearest listed entry in the direction of the jump. Waits
 * until the requests in that direction are compared, oldest first.
 */
export function moveToBreak(state: ExplorerState, step: 1 | -1): ExplorerState {
  const { known, rows, list } = state;
  const path = findPathThrough(known, findSelectedEntry(state));
  const requests = known.requests.listOn(path);
  const breaks = requests.flatMap(({ broken, place }, at) => (broken ? [{ place, number: at + 1, broken }] : []));
  const compared = known.requests.measureProgress(path);
  const from = path.indexOf(findSelectedEntry(state));
  const next = breaks.filter((each) => (each.place - from) * step > 0);
  if (compared < 1 && (step === -1 || next.length === 0))
    return { ...state, awaited: step, notice: `finding cache breaks … ${formatPercent(compared, 1)}` };
  for (const { place, number, broken } of step === 1 ? next : next.toReversed()) {
    for (let at = place; at >= 0 && at < path.length; at += step) {
      const row = rows.rowOf(path[at] ?? 0);
      if (row < 0 || (row - list.cursor) * step <= 0) continue;
      const where = `request ${formatCount(number)} of ${formatCount(requests.length)}`;
      const notice = `cache break at ${where}: ${formatBreakClass(broken.class)}, ${describeRebilled(broken)}; c shows more`;
      const hidden = { wanted: path[place] ?? 0, instead: path[at] ?? 0 };
      return { ...moveToRow(state, row), hidden, notice };
    }
  }
  if (breaks.length === 0) return { ...state, notice: 'no cache break on this path' };
  const other = step === 1 ? 'after this entry: [b goes back' : 'before this entry: ]b goes on';
  return { ...state, notice: `${pluralize(breaks.length, 'cache break')} on this path, none ${other}` };
}

function describeRebilled(broken: CacheBreak): string {
  const mark = broken.rebilledTokens === null ? '~' : '';
  return `${mark}${formatShortCount(rebilledTokensOf(broken))} tokens re-billed`;
}
