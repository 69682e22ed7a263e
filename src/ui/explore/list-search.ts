import { findListMatches, readTypedPattern, type SearchProgress } from '#analysis/search/list-search.js';
import type { Slices } from '#platform/background.js';
import { describeFailure } from './describe-failure.js';
import type { SearchEffect } from './effect.js';
import { findNextNumber, moveToMatch } from './search.js';
import type { ExplorerState } from './state.js';
import type { StateChange } from './update.js';

interface SearchScreen {
  change(change: StateChange): void;
  /** Shows the share searched so far. */
  progress(share: number): void;
  stop(): void;
}

/** A search in the background, and what its slices show. */
interface SearchJob {
  readonly work: Generator<SearchProgress, readonly number[]>;
  readonly slices: Slices<SearchProgress, readonly number[]>;
}

/** Searches the list. Shows the first match at once; at the end the others, or a notice. */
export function buildSearch(
  { rows, sessionIndex }: ExplorerState,
  effect: SearchEffect,
  screen: SearchScreen,
): SearchJob {
  const { pattern, from, step } = effect;
  const goal = pattern === null ? 'error' : readTypedPattern(pattern);
  let isFound = false;
  const showFirst = (row: number | null): void => {
    if (isFound || row === null) return;
    isFound = true;
    screen.change((state) => moveToMatch(noteWrap(state, effect, row), rows.indexAt(row)));
  };
  const end = (matches: readonly number[] | null, notice: string | null): void =>
    screen.change((state) => endSearch(state, pattern === null ? null : matches, notice));
  const slices: SearchJob['slices'] = {
    onSlice({ share, first }) {
      showFirst(first);
      // A search for errors, which has no pattern, ends at the next one.
      const isDone = isFound && pattern === null;
      if (!isDone) return screen.progress(share);
      screen.stop();
      end(null, null);
    },
    onEnd(matches) {
      showFirst(findNextNumber(matches, from, step));
      const none = pattern === null ? 'no error in this list' : `no match for ${pattern}`;
      end(matches, matches.length === 0 ? none : null);
    },
    onError: (error) => end(null, describeFailure(error)),
  };
  return { work: findListMatches({ rows, known: sessionIndex }, { goal, from, step }), slices };
}

/** Notes that a jump to an error went on at the other end. Of a pattern, the number of the match tells. */
function noteWrap(state: ExplorerState, { pattern, from, step }: SearchEffect, row: number): ExplorerState {
  if (pattern !== null || (row - from) * step > 0) return state;
  const side = step === 1 ? 'after' : 'before';
  return { ...state, notice: `no other error ${side} this entry: went on at the other end` };
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
