import type { TreeFilter } from '#analysis/listing/tree-filter.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Ruler } from '../doc/ruler.js';
import { type SessionIndex, logRows, treeRows } from './known.js';
import type { Line } from './lines.js';
import type { Rows } from './rows.js';
import { type Extent, moveTo, type Scroll, START, stayAt } from './scroll.js';

export const TABS = ['messages', 'system', 'tools', 'options'] as const;
export type Tab = (typeof TABS)[number];

/** What takes the whole screen for a while. */
export interface ExplorerPage {
  readonly title: string;
  /** The command line that prints the same, without `ctx`; null where there is none. */
  readonly argv: readonly string[] | null;
  readonly lines: readonly Line[];
  /** What it shows is still being worked out. */
  readonly isRunning: boolean;
  readonly top: number;
  /** The line that a search has found. */
  readonly found: number | null;
}

/** A page from its first line on. */
export function pageOf(page: Omit<ExplorerPage, 'top' | 'found'>): ExplorerPage {
  return { ...page, top: 0, found: null };
}

/** What the model was shown at an entry. */
export type Shown =
  | { readonly kind: 'ready'; readonly index: number; readonly overview: EnvelopeOverview }
  | { readonly kind: 'failed'; readonly index: number; readonly message: string };

/** Everything that the screen depends on. Keys and news make another one of it. */
export interface ExplorerState {
  readonly size: Size;
  readonly ruler: Ruler;
  readonly window: WindowOptions;
  readonly known: SessionIndex;
  readonly listing: 'tree' | 'log';
  readonly filter: TreeFilter;
  /** The entry that the cursor was on before a filter hid it, and the one that it went to instead. */
  readonly hidden: { readonly wanted: number; readonly instead: number } | null;
  readonly rows: Rows;
  readonly list: Scroll;
  readonly focus: 'list' | 'envelope';
  readonly tab: Tab;
  /** null until the first one was built. */
  readonly shown: Shown | null;
  /** How much of the next one is built, from 0 to 1; null where none is being built, or not for long. */
  readonly building: number | null;
  /** Of the messages; of other tabs only the top counts. */
  readonly inside: Scroll;
  /** The entry that was marked to be compared. */
  readonly mark: number | null;
  /** What was searched for last. */
  readonly pattern: string | null;
  /** How much was searched, from 0 to 1; null where no search runs. */
  readonly searching: number | null;
  /** What is being typed behind the `/`; null where nothing is. */
  readonly prompt: string | null;
  readonly page: ExplorerPage | null;
  /** What happened, in a few words, until the next key. */
  readonly notice: string | null;
}

/** What a key asks for beyond another screen. */
export type Effect =
  /** `say` is printed behind it. */
  | { readonly kind: 'quit'; readonly say: string | null }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'copy'; readonly text: string }
  /** Runs ctx and shows in the page what it prints. */
  | { readonly kind: 'run'; readonly argv: readonly string[] }
  | { readonly kind: 'stop' }
  /** Runs ctx and shows in the user's pager what it prints. */
  | { readonly kind: 'pager'; readonly argv: readonly string[] }
  | { readonly kind: 'search'; readonly pattern: string; readonly from: number; readonly step: 1 | -1 }
  | { readonly kind: 'stop-search' };

export interface Updated {
  readonly state: ExplorerState;
  readonly effects: readonly Effect[];
}

export function firstState(
  known: SessionIndex,
  { size, ruler, window }: Pick<ExplorerState, 'size' | 'ruler' | 'window'>,
): ExplorerState {
  const rows = treeRows(known, 'default');
  const state: ExplorerState = {
    size,
    ruler,
    window,
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
    prompt: null,
    page: null,
    notice: null,
  };
  const leaf = known.session.tree.leaf?.index ?? 0;
  return { ...state, list: moveTo(START, Math.max(0, rows.rowOf(leaf)), listExtent(state)) };
}

export function layout({ size, focus }: ExplorerState): Layout {
  return layoutOf(size, focus);
}

/** The entry under the cursor; -1 where there is none. */
export function selected({ rows, list }: ExplorerState): number {
  return rows.length === 0 ? -1 : rows.indexAt(list.cursor);
}

export function listExtent(state: ExplorerState): Extent {
  return { length: state.rows.length, height: layout(state).body };
}

/** The list made anew, the cursor on the same entry, or on the one next to it that is listed. */
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

/** Of an entry that is not listed, the row of the nearest one above it that is. */
function nearestRow({ session: { tree } }: SessionIndex, rows: Rows, wanted: number): number {
  const most = tree.heads.length;
  for (let index = wanted, steps = 0; index >= 0 && steps <= most; steps += 1, index = tree.heads.parentAt(index)) {
    const row = rows.rowOf(index);
    if (row >= 0) return row;
  }
  return Math.max(0, rows.length - 1);
}

/** Cells of the terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** How the screen is divided. Lines that are 0 are left out. */
interface Layout {
  /** Cells of the list and of the envelope; 0 for one that is not seen, since there is room for one only. */
  readonly list: number;
  readonly envelope: number;
  /** Lines of both, without their titles. */
  readonly body: number;
  /** Lines of bars in the strip, and whether it has a title. */
  readonly bars: number;
  readonly hasStripTitle: boolean;
  /** Lines below everything: the command, and the keys. */
  readonly footer: number;
  /** Lines of a page, which takes the place of list, envelope and strip. */
  readonly page: number;
}

/** Below that, list and envelope take turns. */
const LEAST_FOR_TWO = 64;
const HEADER = 1;
const TITLE = 1;
const AXIS = 1;
const BORDER = 1;

function layoutOf({ columns, rows }: Size, focus: 'list' | 'envelope'): Layout {
  const footer = rows >= 16 ? 2 : 1;
  const bars = rows >= 40 ? 5 : rows >= 30 ? 4 : rows >= 20 ? 2 : rows >= 12 ? 1 : 0;
  const hasStripTitle = rows >= 16;
  const strip = bars === 0 ? 0 : bars + AXIS + (hasStripTitle ? TITLE : 0);
  const isOne = columns < LEAST_FOR_TWO;
  const list = isOne
    ? focus === 'list'
      ? columns
      : 0
    : Math.floor((columns - BORDER) * (columns >= 120 ? 0.45 : 0.5));
  return {
    list,
    envelope: isOne ? columns - list : columns - BORDER - list,
    body: Math.max(1, rows - HEADER - TITLE - strip - footer),
    bars,
    hasStripTitle,
    footer,
    page: Math.max(1, rows - HEADER - footer),
  };
}
