/** The size of the terminal in cells. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Below this width, only one of list and envelope is visible. */
const LEAST_FOR_TWO = 64;

/** The fewest rows with a line for commands; with fewer, the keys have the only line at the bottom. */
const LEAST_FOR_COMMAND = 10;
/** The fewest rows with a title of the strip. */
const LEAST_FOR_STRIP_TITLE = 16;
const WIDE = 120;
const HEADER = 1;
const TITLE = 1;
const AXIS = 1;
const BORDER = 1;

/** The minimum width of a pane, however far the divider is dragged. */
const LEAST_OF_PANE = 20;

/** The first row of list and envelope. */
export const BODY_TOP = HEADER + TITLE;

/** The facts that decide how a screen is divided. */
interface ScreenDivision {
  readonly size: ScreenSize;
  readonly focus: 'list' | 'envelope';
  /** The column of the divider, if the user has dragged it. */
  readonly divider: number | null;
  readonly isSpoken?: boolean;
}

/** Divides the screen. Parts with 0 lines are omitted. */
export function divideScreen({ size: { columns, rows }, focus, divider, isSpoken = false }: ScreenDivision) {
  const footer = rows >= LEAST_FOR_COMMAND && !isSpoken ? 2 : 1;
  const bars = isSpoken ? 0 : chooseBarHeight(rows);
  const hasStripTitle = isSpoken || rows >= LEAST_FOR_STRIP_TITLE;
  const strip = (bars === 0 ? 0 : bars + AXIS) + (hasStripTitle ? TITLE : 0);
  const isOne = isSpoken || columns < LEAST_FOR_TWO;
  const alone = focus === 'list' ? columns : 0;
  const list = isOne ? alone : measureListBeside(columns, divider);
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

/** The height of the bars in the strip of a screen with some rows. */
function chooseBarHeight(rows: number): number {
  if (rows >= 40) return 5;
  if (rows >= 30) return 4;
  if (rows >= 20) return 2;
  return rows >= 12 ? 1 : 0;
}

/** The width of the list beside the envelope, which gets more of a wide screen. */
function measureListBeside(columns: number, divider: number | null): number {
  const share = columns >= WIDE ? 0.45 : 0.5;
  const width = divider ?? Math.floor((columns - BORDER) * share);
  return Math.max(LEAST_OF_PANE, Math.min(columns - LEAST_OF_PANE, width));
}
