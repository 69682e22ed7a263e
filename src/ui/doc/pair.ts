import { type Block, type Span, span } from './doc.js';
import type { Ruler } from './ruler.js';
import { wrapSpans } from './spans.js';

const MARGIN = 4;
const HANGING = 2;
const BORDER = ' │';

/** The width of a pair if a line is unlimited. */
const USUAL_COLUMNS = 160;
const NARROWEST_HALF = 10;

/** The lines of a pair. Both halves are equally wide, and continued lines are indented a little. */
export function layOutPair(
  { left, right }: Extract<Block, { kind: 'pair' }>,
  columns: number,
  ruler: Ruler,
): readonly (readonly Span[])[] {
  const cells = (columns === Infinity ? USUAL_COLUMNS : columns) - MARGIN - BORDER.length - 1;
  const half = Math.max(NARROWEST_HALF, Math.floor(cells / 2));
  const lefts = wrapSpans(left, half, ruler, HANGING);
  const rights = wrapSpans(right, half, ruler, HANGING);
  return Array.from({ length: Math.max(lefts.length, rights.length) }, (_, at) => {
    const before = lefts[at] ?? [];
    const after = rights[at] ?? [];
    const width = before.reduce((sum, { text }) => sum + ruler.widthOf(text), 0);
    return [
      span(' '.repeat(MARGIN)),
      ...before,
      span(' '.repeat(Math.max(0, half - width))),
      span(BORDER, 'faint'),
      ...(after.every(({ text }) => text.trim() === '') ? [] : [span(' '), ...after]),
    ];
  });
}
