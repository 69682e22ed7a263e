/** Cells of the terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** How the screen is divided. Lines that are 0 are left out. */
export interface Layout {
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

export function layoutOf({ columns, rows }: Size, focus: 'list' | 'envelope'): Layout {
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
