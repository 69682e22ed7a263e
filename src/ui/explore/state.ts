import type { ListingRows } from '#analysis/listing/listing-rows.js';
import { listLogRows, listTreeRows, type SessionIndex } from '#analysis/listing/session-index.js';
import type { TreeFilter } from '#analysis/listing/tree-filter.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Head } from '#session/heads/head.js';
import type { Effect } from './effect.js';
import { divideScreen, type ScreenSize } from './layout.js';
import type { PageContent, ScreenLook } from './lines.js';
import type { PromptLine } from './prompt.js';
import { type Extent, keepScreenLine, moveCursor, type Scroll, SCROLL_START } from './scroll.js';

export const TABS = ['messages', 'system', 'tools', 'options'] as const;
export type Tab = (typeof TABS)[number];

/** A page that temporarily fills the screen. */
export interface ExplorerPage {
  readonly title: string;
  /** The command line that prints the page, without `ctx`; null if there is none. */
  readonly argv: readonly string[] | null;
  readonly content: PageContent;
  /** The command is still running. */
  readonly isRunning: boolean;
  /** The command has succeeded. */
  readonly isOk: boolean;
  readonly top: number;
  /** The selected line: that of the current match, or one that names an entry. */
  readonly found: number | null;
  /** The entry whose line the page opens at. */
  readonly entry?: number | undefined;
}

/** Opens a page at its first line. */
export function buildExplorerPage(
  page: Pick<ExplorerPage, 'title' | 'argv' | 'content'> & Partial<ExplorerPage>,
): ExplorerPage {
  return { isRunning: false, isOk: false, top: 0, found: null, ...page };
}

/** The envelope at an entry. */
export type ShownEnvelope =
  | { readonly kind: 'ready'; readonly index: number; readonly overview: EnvelopeOverview }
  | { readonly kind: 'failed'; readonly index: number; readonly message: string };

/** The state of the screen. Keys and messages produce a new one. */
export interface ExplorerState {
  readonly size: ScreenSize;
  readonly look: ScreenLook;
  readonly window: WindowOptions;
  /** Whether q leads back to the list of sessions. */
  readonly isFromList?: boolean;
  /** A screen reader reads the screen aloud: words replace signs, and one pane is shown at a time. */
  readonly isSpoken?: boolean;
  readonly sessionIndex: SessionIndex;
  readonly rows: ListingRows;
  readonly listing: 'tree' | 'log';
  readonly filter: TreeFilter;
  /** The entry that a filter hid from the cursor, and the one that the cursor moved to instead. */
  readonly hidden: { readonly wanted: number; readonly instead: number } | null;
  readonly list: Scroll;
  readonly focus: 'list' | 'envelope';
  readonly tab: Tab;
  /** null until the first envelope is built. */
  readonly shown: ShownEnvelope | null;
  /** The share of the next envelope that is built, from 0 to 1; null if none is, or only just. */
  readonly building: number | null;
  /** The scroll position in the envelope. Tabs other than `messages` have no cursor. */
  readonly inside: Scroll;
  /** The entry marked for a comparison. */
  readonly mark: number | null;
  /** The last search pattern. */
  readonly pattern: string | null;
  /** The share searched so far, from 0 to 1; null if no search runs. */
  readonly searching: number | null;
  /** The rows that match the last search, in order; null until it ends. */
  readonly matches: { readonly rows: ListingRows; readonly pattern: string; readonly found: readonly number[] } | null;
  /** The pattern whose matches are highlighted. */
  readonly highlight: string | null;
  /** The line typed after `/`; null if the prompt is closed. */
  readonly prompt: PromptLine | null;
  /** The patterns searched so far, the latest first. */
  readonly searches: readonly string[];
  /** The first key of a jump, which waits for the second one. */
  readonly jump: ']' | '[' | null;
  /** The direction of a jump to a cache break that waits until the requests are compared. */
  readonly awaited: 1 | -1 | null;
  /** The column of the divider, if the user has dragged it. */
  readonly divider: number | null;
  readonly isDragged: boolean;
  /** The terminal reports the mouse, so it selects no text. */
  readonly hasMouse: boolean;
  readonly page: ExplorerPage | null;
  /** The command line that writes, if the user is asked whether to run it. */
  readonly question: readonly string[] | null;
  /** A short message, shown until the next key. */
  readonly notice: string | null;
  /** The side effects that the last change requests. */
  readonly effects: readonly Effect[];
}

/** The state that the screen of every session begins with. */
const AT_FIRST = {
  listing: 'tree',
  filter: 'default',
  hidden: null,
  list: SCROLL_START,
  focus: 'list',
  tab: 'messages',
  shown: null,
  building: null,
  inside: SCROLL_START,
  mark: null,
  pattern: null,
  searching: null,
  matches: null,
  highlight: null,
  prompt: null,
  searches: [],
  jump: null,
  awaited: null,
  divider: null,
  isDragged: false,
  hasMouse: true,
  page: null,
  question: null,
  notice: null,
  effects: [],
} satisfies Partial<ExplorerState>;

export function addEffect(state: ExplorerState, effect: Effect): ExplorerState {
  return { ...state, effects: [...state.effects, effect] };
}

/** The handlers of keys by their names. */
export type KeyMap<Context extends readonly unknown[] = []> = Readonly<
  Record<string, (state: ExplorerState, ...context: Context) => ExplorerState>
>;

/** `selected`: the entry under the cursor, or its nearest listed ancestor; null for the first one. */
export function buildFirstState(
  sessionIndex: SessionIndex,
  screen: Pick<ExplorerState, 'size' | 'look' | 'window' | 'isFromList' | 'isSpoken'>,
  selected: Head | null = sessionIndex.session.tree.leaf,
): ExplorerState {
  const state: ExplorerState = {
    ...AT_FIRST,
    ...screen,
    sessionIndex,
    rows: listTreeRows(sessionIndex, AT_FIRST.filter),
  };
  return moveToRow(state, findNearestRow(sessionIndex, state.rows, selected?.index ?? 0));
}

/** The entry under the cursor; -1 if there is none. */
export function findSelectedEntry({ rows, list }: ExplorerState): number {
  return rows.length === 0 ? -1 : rows.indexAt(list.cursor);
}

export function listExtent(state: ExplorerState): Extent {
  return { length: state.rows.length, height: divideScreen(state).body };
}

/** Moves the cursor of the list to a row. */
export function moveToRow(state: ExplorerState, row: number): ExplorerState {
  return { ...state, list: moveCursor(state.list, row, listExtent(state)) };
}

/** Moves the cursor of the list to the next entry of a kind; null if there is none. */
export function moveToNextRow(
  state: ExplorerState,
  step: 1 | -1,
  isWanted: (index: number) => boolean,
): ExplorerState | null {
  const { rows, list } = state;
  for (let row = list.cursor + step; row >= 0 && row < rows.length; row += step)
    if (isWanted(rows.indexAt(row))) return moveToRow(state, row);
  return null;
}

/** Rebuilds the list, with the cursor on the same entry or on its nearest listed ancestor. */
export function relist(
  state: ExplorerState,
  change: Partial<Pick<ExplorerState, 'listing' | 'filter' | 'sessionIndex'>>,
  wanted: number,
): ExplorerState {
  const next = { ...state, ...change };
  const { sessionIndex, listing, filter } = next;
  const rows = listing === 'tree' ? listTreeRows(sessionIndex, filter) : listLogRows(sessionIndex, filter, wanted);
  const cursor = findNearestRow(sessionIndex, rows, wanted);
  const list = keepScreenLine(state.list, cursor, { length: rows.length, height: divideScreen(next).body });
  return { ...next, rows, list };
}

/** Lists the rows again. An entry that is not listed is remembered, so that commands still mean it. */
export function relistAndRemember(
  state: ExplorerState,
  change: Parameters<typeof relist>[1],
  wanted: number,
): ExplorerState {
  const next = relist(state, change, wanted);
  return { ...next, hidden: { wanted, instead: findSelectedEntry(next) } };
}

/** The row of an entry, or of its nearest listed ancestor. */
function findNearestRow({ session: { tree } }: SessionIndex, rows: ListingRows, wanted: number): number {
  const most = tree.heads.length;
  for (let index = wanted, steps = 0; index >= 0 && steps <= most; steps += 1, index = tree.heads.parentAt(index)) {
    const row = rows.rowOf(index);
    if (row >= 0) return row;
  }
  return Math.max(0, rows.length - 1);
}
