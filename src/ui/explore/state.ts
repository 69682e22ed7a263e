import type { TreeFilter } from '#analysis/listing/filters.js';
import type { Rows } from '#analysis/listing/rows.js';
import { logRows, type SessionIndex, treeRows } from '#analysis/listing/session-index.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import type { WindowOptions } from '#context/size/window.js';
import { type Extent, layout, moveTo, type Scroll, type Size, START, stayAt } from './layout.js';
import type { Look, PageContent } from './lines.js';
import type { PromptLine } from './prompt.js';

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
export function pageOf(page: Omit<ExplorerPage, 'isOk' | 'top' | 'found'>): ExplorerPage {
  return { ...page, isOk: false, top: 0, found: null };
}

/** The envelope at an entry. */
export type Shown =
  | { readonly kind: 'ready'; readonly index: number; readonly overview: EnvelopeOverview }
  | { readonly kind: 'failed'; readonly index: number; readonly message: string };

/** The state of the screen. Keys and messages produce a new one. */
export interface ExplorerState {
  readonly size: Size;
  readonly look: Look;
  readonly window: WindowOptions;
  /** Whether q leads back to the list of sessions. */
  readonly isFromList?: boolean;
  /** A screen reader reads the screen aloud: words replace signs, and one pane is shown at a time. */
  readonly isSpoken?: boolean;
  readonly known: SessionIndex;
  readonly listing: 'tree' | 'log';
  readonly filter: TreeFilter;
  /** The entry that a filter hid from the cursor, and the one that the cursor moved to instead. */
  readonly hidden: { readonly wanted: number; readonly instead: number } | null;
  readonly rows: Rows;
  readonly list: Scroll;
  readonly focus: 'list' | 'envelope';
  readonly tab: Tab;
  /** null until the first envelope is built. */
  readonly shown: Shown | null;
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
  readonly matches: { readonly rows: Rows; readonly pattern: string; readonly found: readonly number[] } | null;
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

/** A side effect that a key requests. */
export type Effect =
  /** `say` is printed after the explorer quits. */
  | { readonly kind: 'quit'; readonly say: string | null }
  /** Back to the list of sessions. */
  | { readonly kind: 'back' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'copy'; readonly text: string }
  /** Runs ctx and shows its output on the page. */
  | { readonly kind: 'run'; readonly argv: readonly string[] }
  | { readonly kind: 'stop' }
  | { readonly kind: 'report-mouse'; readonly isOn: boolean }
  /** Runs ctx and shows its output in the user's pager. */
  | { readonly kind: 'pager'; readonly argv: readonly string[] }
  /** `pattern`: null to search for errors. */
  | { readonly kind: 'search'; readonly pattern: string | null; readonly from: number; readonly step: 1 | -1 }
  | { readonly kind: 'stop-search' };

export function withEffect(state: ExplorerState, effect: Effect): ExplorerState {
  return { ...state, effects: [...state.effects, effect] };
}

/** The reason for leaving the screen: for good, or for a while. */
export type Leave = Extract<Effect, { kind: 'quit' | 'back' | 'suspend' | 'pager' }>;

/** The handlers of keys by their names. */
export type KeyMap<Context extends readonly unknown[] = []> = Readonly<
  Record<string, (state: ExplorerState, ...context: Context) => ExplorerState>
>;

export function firstState(
  known: SessionIndex,
  screen: Pick<ExplorerState, 'size' | 'look' | 'window' | 'isFromList' | 'isSpoken'>,
): ExplorerState {
  const rows = treeRows(known, 'default');
  const state: ExplorerState = {
    ...screen,
    known,
    listing: 'tree',
    filter: 'default',
    hidden: null,
    rows,
    list: START,
    focus: 'list',
    tab: 'messages',
    shown: null,
    building: null,
    inside: START,
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
  };
  const leaf = known.session.tree.leaf?.index ?? 0;
  return { ...state, list: moveTo(START, Math.max(0, rows.rowOf(leaf)), listExtent(state)) };
}

/** The entry under the cursor; -1 if there is none. */
export function selected({ rows, list }: ExplorerState): number {
  return rows.length === 0 ? -1 : rows.indexAt(list.cursor);
}

export function listExtent(state: ExplorerState): Extent {
  return { length: state.rows.length, height: layout(state).body };
}

/** Moves the cursor of the list to a row. */
export function atRow(state: ExplorerState, row: number): ExplorerState {
  return { ...state, list: moveTo(state.list, row, listExtent(state)) };
}

/** Moves the cursor of the list to the next entry of a kind; null if there is none. */
export function atNextRow(
  state: ExplorerState,
  step: 1 | -1,
  isWanted: (index: number) => boolean,
): ExplorerState | null {
  const { rows, list } = state;
  for (let row = list.cursor + step; row >= 0 && row < rows.length; row += step)
    if (isWanted(rows.indexAt(row))) return atRow(state, row);
  return null;
}

/** Rebuilds the list, with the cursor on the same entry or on its nearest listed ancestor. */
export function relisted(
  state: ExplorerState,
  change: Partial<Pick<ExplorerState, 'listing' | 'filter' | 'known'>>,
  wanted: number,
): ExplorerState {
  const next = { ...state, ...change };
  const { known, listing, filter } = next;
  const rows = listing === 'tree' ? treeRows(known, filter) : logRows(known, filter, wanted);
  const cursor = nearestRow(known, rows, wanted);
  const list = stayAt(state.list, cursor, { length: rows.length, height: layout(next).body });
  return { ...next, rows, list };
}

/** Like `relisted`, and remembers the entry if it is not listed, so that commands still mean it. */
export function meaning(state: ExplorerState, change: Parameters<typeof relisted>[1], wanted: number): ExplorerState {
  const next = relisted(state, change, wanted);
  return { ...next, hidden: { wanted, instead: selected(next) } };
}

/** The row of an entry, or of its nearest listed ancestor. */
function nearestRow({ session: { tree } }: SessionIndex, rows: Rows, wanted: number): number {
  const most = tree.heads.length;
  for (let index = wanted, steps = 0; index >= 0 && steps <= most; steps += 1, index = tree.heads.parentAt(index)) {
    const row = rows.rowOf(index);
    if (row >= 0) return row;
  }
  return Math.max(0, rows.length - 1);
}
