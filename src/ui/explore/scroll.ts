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
