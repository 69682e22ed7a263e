import { type Block, type Span, span } from './doc.js';
import type { Ruler } from './ruler.js';

const MARGIN = 4;
const HANGING = 2;
const BORDER = ' │';
/** Where nothing limits a line, both halves still have to end somewhere. */
const USUAL_COLUMNS = 160;
const NARROWEST_HALF = 10;

/** The lines of a pair. Both halves are equally wide, and what goes on in the next line stands a little further in. */
export function pairLines(
  { left, right }: Extract<Block, { kind: 'pair' }>,
  columns: number,
  ruler: Ruler,
): readonly (readonly Span[])[] {
  const cells = (columns === Infinity ? USUAL_COLUMNS : columns) - MARGIN - BORDER.length - 1;
  const half = Math.max(NARROWEST_HALF, Math.floor(cells / 2));
  const [lefts, rights] = [wrapped(left, half, ruler), wrapped(right, half, ruler)];
  return Array.from({ length: Math.max(lefts.length, rights.length) }, (_, at) => {
    const [before = [], after = []] = [lefts[at], rights[at]];
    const width = before.reduce((sum, { text }) => sum + ruler.widthOf(text), 0);
    return [
      span(' '.repeat(MARGIN)),
      ...before,
      span(' '.repeat(Math.max(0, half - width))),
      span(BORDER, 'faint'),
      ...(after.every(isBlank) ? [] : [span(' '), ...after]),
    ];
  });
}

function isBlank({ text }: Span): boolean {
  return text.trim() === '';
}

/** Spans in lines of a number of cells, none of them cut off. */
function wrapped(spans: readonly Span[], cells: number, ruler: Ruler): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]];
  let room = cells;
  for (const { text, tone } of spans) {
    let rest = text;
    while (rest !== '') {
      const isFresh = room >= cells - HANGING;
      const taken = ruler.startOf(rest, room) || (isFresh ? firstCharacter(rest) : '');
      if (taken !== '') lines.at(-1)?.push(span(taken, tone));
      rest = rest.slice(taken.length);
      room -= ruler.widthOf(taken);
      if (rest === '') break;
      lines.push([span(' '.repeat(HANGING))]);
      room = cells - HANGING;
    }
  }
  return lines;
}

/** One that is wider than a whole line still has to be printed. */
function firstCharacter(text: string): string {
  const [first] = new Intl.Segmenter().segment(text);
  return first?.segment ?? '';
}
