import { type Span, span } from './doc.js';
import type { Ruler } from './ruler.js';

/** The largest share of a line's cells that an indentation may take from the lines below. */
const WIDEST_MARGIN = 1 / 3;
const SPACE = /^\s/;

/**
 * Wraps the spans of a line at `cells` cells, and drops only the spaces at the breaks. A line that goes
 * on begins below the indentation of the first one, and `hanging` cells further in.
 */
export function wrapSpans(
  spans: readonly Span[],
  cells: number,
  ruler: Ruler,
  hanging = 0,
): readonly (readonly Span[])[] {
  const text = joinSpans(spans);
  // A character takes two cells at most, so most lines need not be measured.
  if (text.length * 2 <= cells || ruler.fits(text, cells)) return [spans];
  const parts = spans.map((part) => ({ ...part, text: part.text.normalize() }));
  const whole = joinSpans(parts);
  const margin = /^ */.exec(whole)?.[0].slice(0, Math.floor(cells * WIDEST_MARGIN)) ?? '';
  const rest = whole.slice(margin.length).trimStart();
  const [first = ''] = ruler.wrap(rest, cells - margin.length);
  const others = rest.slice(first.length).trim();
  const lines = [first, ...(others === '' ? [] : ruler.wrap(others, cells - margin.length - hanging))];
  const indents = [margin, margin + ' '.repeat(hanging)].map((spaces) => (spaces === '' ? [] : [span(spaces)]));
  return findPlaces(whole, whole.length - rest.length, lines).map(({ start, end }, at) => [
    ...(indents[Math.min(at, 1)] ?? []),
    ...sliceSpans(parts, start, end),
  ]);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** The positions of lines in their text; the last line ends where the text does. */
function findPlaces(text: string, from: number, lines: readonly string[]): readonly Place[] {
  let at = from;
  return lines.map((line, nth) => {
    while (!text.startsWith(line, at) && SPACE.test(text.slice(at, at + 1))) at += 1;
    const start = at;
    at += line.length;
    return { start, end: nth === lines.length - 1 ? text.trimEnd().length : at };
  });
}

/** The parts of spans between two places of their text. */
export function sliceSpans<Part extends Span>(spans: readonly Part[], start: number, end: number): readonly Part[] {
  let at = 0;
  return spans.flatMap((part) => {
    const text = part.text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += part.text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}

export function joinSpans(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join('');
}
