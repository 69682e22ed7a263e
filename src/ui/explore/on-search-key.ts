import type { CacheBreak } from '#analysis/cache/document.js';
import { rebilledTokensOf } from '#analysis/cache/rebilled.js';
import { findPathThrough } from '#analysis/listing/session-index.js';
import { findSnippet, readTypedPattern } from '#analysis/search/list-search.js';
import { formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import { isCompaction } from '#session/tree/compaction.js';
import { findMatchingLines } from './lines.js';
import { pageLines, scrollPage } from './page.js';
import { editPrompt, EMPTY_PROMPT } from './prompt.js';
import {
  addEffect,
  type ExplorerPage,
  type ExplorerState,
  type KeyMap,
  moveToNextRow,
  moveToRow,
  selectedEntry,
} from './state.js';

/** The maximum number of patterns to go back to. */
const MOST_SEARCHES = 50;

/** Handles a key while the user types a search pattern. */
export function onPromptKey(state: ExplorerState, key: string): ExplorerState {
  const prompt = state.prompt ?? EMPTY_PROMPT;
  if (key === 'escape' || (key === 'backspace' && prompt.text === '')) return { ...state, prompt: null };
  if (key === 'enter') return searchNext(rememberPattern({ ...state, prompt: null }, prompt.text), 1);
  return { ...state, prompt: editPrompt(prompt, key, state.searches) ?? prompt };
}

function rememberPattern(state: ExplorerState, typed: string): ExplorerState {
  if (typed === '') return state;
  const searches = [typed, ...state.searches.filter((each) => each !== typed)].slice(0, MOST_SEARCHES);
  return { ...state, pattern: typed, searches };
}

/** Moves to the next match on the page, or else in the list. */
export function searchNext(before: ExplorerState, step: 1 | -1): ExplorerState {
  const { pattern, page, list, rows, matches } = before;
  if (pattern === null) return { ...before, notice: 'no search pattern: press / to search' };
  const state = { ...before, highlight: pattern };
  if (page) return searchPage(state, page, { pattern, step });
  if (matches?.rows !== rows || matches.pattern !== pattern) return startSearch(state, pattern, step);
  const row = findNextNumber(matches.found, list.cursor, step);
  return row === null ? { ...state, notice: `no match for ${pattern}` } : moveToMatch(state, rows.indexAt(row));
}

/** Searches the list for a pattern; null to search for errors. */
function startSearch(state: ExplorerState, pattern: string | null, step: 1 | -1): ExplorerState {
  return addEffect({ ...state, searching: 0 }, { kind: 'search', pattern, from: state.list.cursor, step });
}

/** The next of some ascending numbers, with a wrap-around at the end; null if there are none. */
export function findNextNumber(all: readonly number[], from: number, step: 1 | -1): number | null {
  const next = step === 1 ? all.find((each) => each > from) : all.findLast((each) => each < from);
  return next ?? all.at(step === 1 ? 0 : -1) ?? null;
}

function searchPage(
  state: ExplorerState,
  page: ExplorerPage,
  { pattern, step }: { readonly pattern: string; readonly step: 1 | -1 },
): ExplorerState {
  const at = findNextNumber(findMatchingLines(pageLines(state, page), pattern), page.found ?? page.top - step, step);
  return at === null ? { ...state, notice: `no match for ${pattern}` } : scrollPage(state, page, at, at);
}

/** Shows a new page at its first match, if matches are highlighted. */
export function scrollToMatch(state: ExplorerState): ExplorerState {
  const { page, highlight } = state;
  if (page === null || highlight === null) return state;
  const at = findMatchingLines(pageLines(state, page), highlight)[0];
  return at === undefined ? state : scrollPage(state, page, at, at);
}

/** Moves the cursor to an entry that a search has found, with the text around the match. */
export function moveToMatch(state: ExplorerState, index: number): ExplorerState {
  const row = state.rows.rowOf(index);
  if (row < 0) return state;
  const snippet = state.highlight === null ? null : findSnippet(state.known, index, readTypedPattern(state.highlight));
  return { ...moveToRow(state, row), notice: snippet ?? state.notice };
}

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
  const path = findPathThrough(known, selectedEntry(state));
  const requests = known.requests.on(path);
  const breaks = requests.flatMap(({ broken, place }, at) => (broken ? [{ place, number: at + 1, broken }] : []));
  const compared = known.requests.compared(path);
  const from = path.indexOf(selectedEntry(state));
  const next = breaks.filter((each) => (each.place - from) * step > 0);
  if (compared < 1 && (step === -1 || next.length === 0))
    return { ...state, awaited: step, notice: `finding cache breaks … ${formatPercent(compared, 1)}` };
  for (const { place, number, broken } of step === 1 ? next : next.toReversed()) {
    for (let at = place; at >= 0 && at < path.length; at += step) {
      const row = rows.rowOf(path[at] ?? 0);
      if (row < 0 || (row - list.cursor) * step <= 0) continue;
      const where = `request ${formatCount(number)} of ${formatCount(requests.length)}`;
      const notice = `cache break at ${where}: ${broken.class}, ${describeRebilled(broken)}; c shows more`;
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
