import { joinSpans } from '../doc/spans.js';
import { BODY_TOP, divideScreen } from './layout.js';
import { onKey } from './on-key.js';
import { findEntriesOnPage, listPageLines, measurePage, scrollPage } from './page.js';
import { type ExplorerPage, type ExplorerState, listExtent, moveToRow, relistAndRemember, TABS } from './state.js';
import { buildScreenStrip } from './strip.js';
import { measureTab, moveInTab } from './tab.js';

/** A report of the mouse: the wheel, the left button pressed, moved while pressed, or released. */
export interface MouseInput {
  readonly kind: 'wheel-up' | 'wheel-down' | 'press' | 'drag' | 'release';
  /** Cells from the left and from the top, from 0. */
  readonly column: number;
  readonly row: number;
}

const LINES_OF_A_TURN = 3;

/** Parses a report (mode 1006) without its escape character; null if it is none, or of another button. */
export function readMouse(input: string): MouseInput | null {
  const [, button = '', column = '', row = '', end = ''] = /^\[<(\d+);(\d+);(\d+)([Mm])$/.exec(input) ?? [];
  const kind = end === 'm' && button === '0' ? 'release' : KINDS[button];
  return kind === undefined ? null : { kind, column: Number(column) - 1, row: Number(row) - 1 };
}

/** Whether an input is a report of the mouse, which is no key. */
export function isMouseInput(input: string): boolean {
  return input.startsWith('[<');
}

const KINDS: Readonly<Record<string, MouseInput['kind']>> = {
  0: 'press',
  32: 'drag',
  64: 'wheel-up',
  65: 'wheel-down',
};

export function onMouse(before: ExplorerState, mouse: MouseInput): ExplorerState {
  const state = before.notice === null ? before : { ...before, notice: null, awaited: null };
  switch (mouse.kind) {
    case 'wheel-up':
    case 'wheel-down':
      return scrollUnderPointer(state, mouse, mouse.kind === 'wheel-up' ? -LINES_OF_A_TURN : LINES_OF_A_TURN);
    case 'press':
      if (state.prompt) return state;
      return state.page ? onPageLine(state, state.page, mouse.row) : onPress(state, mouse);
    case 'drag':
      return state.isDragged ? { ...state, divider: mouse.column } : state;
    case 'release':
      return { ...state, isDragged: false };
  }
}

/** Scrolls the page or the pane under the pointer. */
function scrollUnderPointer(state: ExplorerState, { column }: MouseInput, lines: number): ExplorerState {
  const { page, list, inside, tab } = state;
  if (page) return scrollPage(state, page, page.top + lines);
  if (isOverList(state, column)) return moveToRow(state, list.cursor + lines);
  return moveInTab(state, (tab === 'messages' ? inside.cursor : inside.top) + lines);
}

function isOverList(state: ExplorerState, column: number): boolean {
  return column < divideScreen(state).list;
}

/** Selects the row under the pointer, or opens it if it is selected already. Grips the divider, or opens a tab. */
function onPress(state: ExplorerState, { column, row }: MouseInput): ExplorerState {
  const { list, envelope, body } = divideScreen(state);
  const line = row - BODY_TOP;
  if (line >= body) return onStrip(state, column, line - body);
  if (line < -1) return state;
  if (column === list && list > 0 && envelope > 0) return { ...state, isDragged: true };
  if (isOverList(state, column)) return onRow(state, 'list', line);
  if (line >= 0) return onRow(state, 'envelope', line);
  const tab = findTabAt(column - (state.size.columns - envelope) - START_OF_TITLE);
  return tab === -1 ? { ...state, focus: 'envelope' } : onKey(state, String(tab + 1));
}

/** Selects the request under the pointer. `line`: from the first line of the strip. */
function onStrip(state: ExplorerState, column: number, line: number): ExplorerState {
  const { bars, hasStripTitle } = divideScreen(state);
  const isOnBars = bars > 0 && line >= Number(hasStripTitle) && line <= bars + Number(hasStripTitle);
  const { columns, wide } = buildScreenStrip(state);
  const request = isOnBars ? columns[Math.floor((column - 1) / wide)] : undefined;
  return request ? relistAndRemember(state, {}, request.entry) : state;
}

/**
 * Selects the row of a page under the pointer if it names an entry, or goes to that entry if it is selected already.
 */
function onPageLine(state: ExplorerState, page: ExplorerPage, row: number): ExplorerState {
  const lines = listPageLines(state, page);
  const entries = findEntriesOnPage(state, page);
  let line = page.top + row - BODY_TOP;
  if (line < page.top || line >= page.top + measurePage(state, page).height) return state;
  while (!entries.has(line) && CONTINUES.test(joinSpans(lines[line] ?? []))) line -= 1;
  if (!entries.has(line)) return state;
  return page.found === line ? onKey(state, 'enter') : { ...state, page: { ...page, found: line } };
}

/** The indentation of a line that the row above it wraps to. */
const CONTINUES = /^ {8}/;

function onRow(before: ExplorerState, focus: ExplorerState['focus'], line: number): ExplorerState {
  const state = { ...before, focus };
  if (line < 0) return state;
  const [part, extent] = focus === 'list' ? [state.list, listExtent(state)] : [state.inside, measureTab(state)];
  const wanted = part.top + line;
  if (wanted >= extent.length || (focus === 'envelope' && state.tab !== 'messages')) return state;
  if (before.focus === focus && wanted === part.cursor) return onKey(state, 'enter');
  // The list stays, so that a second click is on the same row.
  const moved = { ...part, cursor: wanted };
  return focus === 'list' ? { ...state, list: moved } : { ...state, inside: moved };
}

/** The tab whose name is at a cell of the title; -1 if there is none. */
function findTabAt(cell: number): number {
  return TABS.findIndex((tab) => {
    const start = TABS.join(' ').indexOf(tab);
    return cell >= start && cell < start + tab.length;
  });
}

/** The cells of `─ ` before a title. */
const START_OF_TITLE = 2;
