import type { ExplorerState } from './state.js';

/** The size of the terminal in cells. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Below this width, only one of list and envelope is visible. */
const LEAST_FOR_TWO = 64;
/** With fewer rows, the keys have the only line at the bottom. */
const LEAST_FOR_COMMAND = 10;
const HEADER = 1;
const TITLE = 1;
const AXIS = 1;
const BORDER = 1;
/** The minimum width of a pane, however far the divider is dragged. */
const LEAST_OF_PANE = 20;
/** The first row of list and envelope. */
export const BODY_TOP = HEADER + TITLE;

/** Divides the screen. Parts with 0 lines are omitted. */
export function divideScreen({ size: { columns, rows }, focus, divider, isSpoken = false }: ExplorerState) {
  const footer = rows >= LEAST_FOR_COMMAND && !isSpoken ? 2 : 1;
  const bars = isSpoken ? 0 : rows >= 40 ? 5 : rows >= 30 ? 4 : rows >= 20 ? 2 : rows >= 12 ? 1 : 0;
  const hasStripTitle = isSpoken || rows >= 16;
  const strip = (bars === 0 ? 0 : bars + AXIS) + (hasStripTitle ? TITLE : 0);
  const isOne = isSpoken || columns < LEAST_FOR_TWO;
  const wanted = divider ?? Math.floor((columns - BORDER) * (columns >= 120 ? 0.45 : 0.5));
  const beside = Math.max(LEAST_OF_PANE, Math.min(columns - LEAST_OF_PANE, wanted));
  const list = isOne ? (focus === 'list' ? columns : 0) : beside;
  return {
    /** The widths of list and envelope. On a narrow screen the hidden one has 0. */
    list,
    envelope: isOne ? columns - list : columns - BORDER - list,
    /** The height of both, without their titles. */
    body: Math.max(1, rows - HEADER - TITLE - strip - footer),
    /** The height of the bars in the strip, and whether it has a title. */
    bars,
    hasStripTitle,
    /** The lines at the bottom: the command, and the keys. */
    footer,
    /** The height of a page, which replaces list, envelope and strip. */
    page: Math.max(1, rows - HEADER - footer),
  };
}

/** The scroll position of a list: the line with the cursor, and the first visible line. */
export interface Scroll {
  readonly cursor: number;
  readonly top: number;
}

export interface Extent {
  /** The number of lines, and the number that fit. */
  readonly length: number;
  readonly height: number;
}

export const SCROLL_START: Scroll = { cursor: 0, top: 0 };

/** Moves the cursor to another line, and keeps a margin of two lines around it. */
export function moveCursor({ top }: Scroll, wanted: number, { length, height }: Extent): Scroll {
  const cursor = Math.max(0, Math.min(length - 1, wanted));
  const margin = Math.min(2, Math.floor((height - 1) / 2));
  const lowest = cursor - height + 1 + margin;
  const highest = cursor - margin;
  return { cursor, top: limitTop(Math.max(lowest, Math.min(highest, top)), { length, height }) };
}

/** Keeps the cursor on its screen line when the list around it changes. */
export function keepScreenLine({ cursor, top }: Scroll, moved: number, extent: Extent): Scroll {
  return moveCursor({ cursor, top: top + moved - cursor }, moved, extent);
}

/** The first visible line of a list without a cursor. */
export function limitTop(wanted: number, { length, height }: Extent): number {
  return Math.max(0, Math.min(length - height, wanted));
}

/** The line that a movement key leads to; null for any other key. */
export function findTargetLine(key: string, from: number, { length, height }: Extent): number | null {
  const page = Math.max(1, height - 1);
  const half = Math.max(1, Math.floor(height / 2));
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    'ctrl-u': -half,
    'ctrl-d': half,
    home: -from,
    end: length - 1 - from,
  };
  const step = steps[SAME[key] ?? key];
  return step === undefined ? null : from + step;
}

/** Keys that do what others do. */
const SAME: Readonly<Record<string, string>> = {
  k: 'up',
  'ctrl-p': 'up',
  j: 'down',
  'ctrl-n': 'down',
  b: 'pageup',
  'ctrl-b': 'pageup',
  ' ': 'pagedown',
  'ctrl-f': 'pagedown',
  g: 'home',
  G: 'end',
};
