import type { ExplorerState } from './state.js';

/** The size of the terminal in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The division of the screen. Parts with 0 lines are omitted. */
interface Layout {
  /** The widths of list and envelope. On a narrow screen the hidden one has 0. */
  readonly list: number;
  readonly envelope: number;
  /** The height of both, without their titles. */
  readonly body: number;
  /** The height of the bars in the strip, and whether it has a title. */
  readonly bars: number;
  readonly hasStripTitle: boolean;
  /** The lines at the bottom: the command, and the keys. */
  readonly footer: number;
  /** The height of a page, which replaces list, envelope and strip. */
  readonly page: number;
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

export function layout({ size: { columns, rows }, focus, divider, isSpoken = false }: ExplorerState): Layout {
  const footer = rows >= LEAST_FOR_COMMAND && !isSpoken ? 2 : 1;
  const bars = isSpoken ? 0 : rows >= 40 ? 5 : rows >= 30 ? 4 : rows >= 20 ? 2 : rows >= 12 ? 1 : 0;
  const hasStripTitle = isSpoken || rows >= 16;
  const strip = (bars === 0 ? 0 : bars + AXIS) + (hasStripTitle ? TITLE : 0);
  const isOne = isSpoken || columns < LEAST_FOR_TWO;
  const list = isOne
    ? focus === 'list'
      ? columns
      : 0
    : Math.max(
        LEAST_OF_PANE,
        Math.min(columns - LEAST_OF_PANE, divider ?? Math.floor((columns - BORDER) * (columns >= 120 ? 0.45 : 0.5))),
      );
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
