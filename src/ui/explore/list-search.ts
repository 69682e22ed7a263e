import { findListMatches, readTypedPattern, type SearchProgress } from '#analysis/search/list-search.js';
import type { Slices } from '#platform/background.js';
import { describeFailure } from './describe-failure.js';
import { findNextNumber, moveToMatch } from './search.js';
import type { Effect, ExplorerState } from './state.js';
import type { StateChange } from './update.js';

export type SearchEffect = Extract<Effect, { kind: 'search' }>;

interface SearchScreen {
  change(change: StateChange): void;
  /** Shows the share searched so far. */
  progress(share: number): void;
  stop(): void;
}

/** The work of a search of the list, and what it shows: the first match at once; at the end the others, or a notice. */
export function buildSearch(
  { rows, known }: ExplorerState,
  { pattern, from, step }: SearchEffect,
  screen: SearchScreen,
) {
  const goal = pattern === null ? 'error' : readTypedPattern(pattern);
  const none = pattern === null ? 'no error in this list' : `no match for ${pattern}`;
  let isFound = false;
  const find = (row: number | null | undefined): void => {
    if (isFound || typeof row !== 'number') return;
    isFound = true;
    screen.change((state) => moveToMatch(wrapped(state, row), rows.indexAt(row)));
  };
  /** Says of a jump to an error that it went on at the other end. Of a pattern, the number of the match tells. */
  const wrapped = (state: ExplorerState, row: number): ExplorerState =>
    pattern !== null || (row - from) * step > 0
      ? state
      : { ...state, notice: `no other error ${step === 1 ? 'after' : 'before'} this entry: went on at the other end` };
  const end = (matches: readonly number[] | null, notice: string | null): void =>
    screen.change((state) => endSearch(state, pattern === null ? null : matches, notice));
  const slices: Slices<SearchProgress, readonly number[]> = {
    onSlice({ share, first }) {
      find(first);
      if (!isFound || pattern !== null) return screen.progress(share);
      screen.stop();
      end(null, null);
    },
    onEnd(matches) {
      find(findNextNumber(matches, from, step));
      end(matches, matches.length === 0 ? none : null);
    },
    onError: (error) => end(null, describeFailure(error)),
  };
  return [findListMatches({ rows, known }, { goal, from, step }), slices] as const;
}

/** Ends a search. `matches`: all rows that match the last pattern; null if it searched for errors, or has failed. */
export function endSearch(
  state: ExplorerState,
  matches: readonly number[] | null,
  notice: string | null,
): ExplorerState {
  const { rows, pattern } = state;
  const next = { ...state, searching: null, notice: notice ?? state.notice };
  return matches === null || pattern === null ? next : { ...next, matches: { rows, pattern, found: matches } };
}
