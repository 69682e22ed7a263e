import { findSnippet, readTypedPattern } from '#analysis/search/list-search.js';
import { findMatchingLines } from './highlight.js';
import { listPageLines, scrollPage } from './page.js';
import { editPrompt, EMPTY_PROMPT } from './prompt.js';
import { addEffect, type ExplorerPage, type ExplorerState, moveToRow } from './state.js';

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
export function startSearch(state: ExplorerState, pattern: string | null, step: 1 | -1): ExplorerState {
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
  const at = findNextNumber(
    findMatchingLines(listPageLines(state, page), pattern),
    page.found ?? page.top - step,
    step,
  );
  return at === null ? { ...state, notice: `no match for ${pattern}` } : scrollPage(state, page, at, at);
}

/** Shows a new page at its first match, if matches are highlighted. */
export function scrollToMatch(state: ExplorerState): ExplorerState {
  const { page, highlight } = state;
  if (page === null || highlight === null) return state;
  const at = findMatchingLines(listPageLines(state, page), highlight)[0];
  return at === undefined ? state : scrollPage(state, page, at, at);
}

/** Moves the cursor to an entry that a search has found, with the text around the match. */
export function moveToMatch(state: ExplorerState, index: number): ExplorerState {
  const row = state.rows.rowOf(index);
  if (row < 0) return state;
  const snippet =
    state.highlight === null ? null : findSnippet(state.sessionIndex, index, readTypedPattern(state.highlight));
  return { ...moveToRow(state, row), notice: snippet ?? state.notice };
}
