import { buildSessionIndex, type SessionIndex } from '#analysis/listing/session-index.js';
import { findListMatches, readTypedPattern, type SearchProgress } from '#analysis/search/list-search.js';
import type { SessionUpdate } from '#context/follow.js';
import type { Slices } from '#platform/background.js';
import { describeFailure } from './full-screen.js';
import { moveCursor, type ScreenSize } from './layout.js';
import type { ScreenLine } from './lines.js';
import { isWriteCommand } from './on-plan-key.js';
import { findNextNumber, moveToBreak, moveToMatch, scrollToMatch } from './on-search-key.js';
import { findEntriesOnPage, moveInTab, openTab, scrollPage, selectPageLine, tabExtent } from './page.js';
import {
  addEffect,
  type Effect,
  type ExplorerState,
  moveToRow,
  relist,
  selectedEntry,
  type ShownEnvelope,
} from './state.js';

/** A change of the screen. */
export type StateChange = (state: ExplorerState) => ExplorerState;

/** Progress of work, or a notice; without any, something was read: draw again. */
export type ScreenProgress = Partial<Pick<ExplorerState, 'building' | 'searching' | 'notice'>>;

/** Tries a jump again that waits for more of the requests. */
export function retryJump(state: ExplorerState): ExplorerState {
  return state.awaited === null ? state : moveToBreak({ ...state, awaited: null }, state.awaited);
}

/** Fits everything to the new size. The page of a command is printed again, unless that would write again. */
export function resizeScreen(state: ExplorerState, size: ScreenSize): ExplorerState {
  const next = moveToRow({ ...state, size }, state.list.cursor);
  const all = moveInTab(next, next.tab === 'messages' ? next.inside.cursor : next.inside.top);
  if (!all.page) return all;
  const { argv, content, top } = all.page;
  const isPrinted = content.isRaw === undefined && !isWriteCommand(all.page) && size.columns !== state.size.columns;
  const scrolled = scrollPage(all, all.page, top);
  return argv && isPrinted ? addEffect(scrolled, { kind: 'run', argv }) : scrolled;
}

/** Shows the session after a change of its file, with a new index. */
export function showNews(state: ExplorerState, { session, change }: SessionUpdate, now: () => number): ExplorerState {
  const isRewritten = change === 'rewritten';
  return replaceSession(state, buildSessionIndex(session, now, isRewritten ? undefined : state.known), isRewritten);
}

/** Shows the session after a change of its file. `isRewritten`: everything known of it is invalid. */
export function replaceSession(state: ExplorerState, known: SessionIndex, isRewritten: boolean): ExplorerState {
  return stopSearch(isRewritten ? startOver(state, known) : followGrowth(state, known));
}

/** Keeps a cursor at the end at the end, like `tail -f`. */
function followGrowth(state: ExplorerState, known: SessionIndex): ExplorerState {
  const before = state.known.session.tree.leaf?.index ?? -1;
  const index = selectedEntry(state);
  const isAtEnd = index === before || index === -1;
  return relist(state, { known }, isAtEnd ? (known.session.tree.leaf?.index ?? 0) : index);
}

/** Ends a running search, because its rows have changed. */
function stopSearch(state: ExplorerState): ExplorerState {
  if (state.searching === null) return state;
  return { ...state, searching: null, notice: state.notice ?? 'the file has grown: press n to continue the search' };
}

/** Starts over with a rewritten file, at the entry with the same id. */
function startOver(state: ExplorerState, known: SessionIndex): ExplorerState {
  const id = state.known.session.tree.heads.at(selectedEntry(state))?.id;
  const { heads, leaf } = known.session.tree;
  const wanted = (id === undefined ? undefined : heads.find(id))?.index ?? leaf?.index ?? 0;
  const notice = 'the file was rewritten';
  return { ...relist(state, { known }, wanted), shown: null, mark: null, notice };
}

/** Shows a new envelope, at the beginning of the open tab, or at the newest message. */
export function showEnvelope(state: ExplorerState, shown: ShownEnvelope): ExplorerState {
  const isSame = state.shown?.index === shown.index;
  const next = { ...state, shown, building: null };
  if (isSame) return { ...next, inside: moveCursor(state.inside, state.inside.cursor, tabExtent(next)) };
  return openTab(next, state.tab);
}

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

/** Shows the output of a command, at a match or at the entry that the page is about. */
export function showOutput(state: ExplorerState, lines: readonly ScreenLine[], isOk: boolean): ExplorerState {
  if (!state.page) return state;
  const page = { ...state.page, content: { lines }, isOk, isRunning: false };
  const [at] = [...findEntriesOnPage(state, page)].find(([, named]) => named.includes(page.entry ?? -1)) ?? [];
  if (at !== undefined) return scrollToMatch({ ...state, page: selectPageLine(state, page, at) });
  return scrollToMatch(scrollPage(state, page, page.top));
}
