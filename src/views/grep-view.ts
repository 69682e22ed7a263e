import { type Block, gap, line, type Span, span } from '../render/doc.js';
import type { View } from '../render/define.js';
import { visibleLine } from '../render/visible.js';
import { count, plural } from './format.js';
import { idOf, type Searched } from './searched.js';
import type { TextMatch } from './text-matches.js';

const GAP = '  ';
/** The match and what is around it have at least this much of a line. */
const FEWEST_CELLS = 24;
const ID_CELLS = 8;
const LINE_CELLS = 4;
const NAME_CELLS = 10;
const SHORTEST_PLACE = 17;
const LONGEST_PLACE = 40;
const USUAL_COLUMNS = 80;

/** A match on one line, with the lines around it above and below. The match is always in sight, however long its line is. */
export function matchLines(item: Searched, place: string, match: TextMatch, { columns }: View): readonly Block[] {
  const left = leftOf(columns, [
    span((idOf(item) ?? '').padEnd(ID_CELLS), 'id'),
    span(lineText(item), 'faint'),
    span(item.name.padEnd(NAME_CELLS)),
    span(endOf(place, SHORTEST_PLACE + columns - USUAL_COLUMNS), 'faint'),
  ]);
  const width = cellsOf(left);
  const margin = ' '.repeat(width);
  const beside = (text: string): Block => (text.trim() === '' ? gap : line(margin, span(text, 'faint')));
  return [...match.before.map(beside), line(...left, ...excerpt(match, columns - width)), ...match.after.map(beside)];
}

/** A place in a column: of a long one its end, which says most. */
function endOf(place: string, cells: number): string {
  const width = Math.max(SHORTEST_PLACE, Math.min(LONGEST_PLACE, cells));
  return place.length <= width ? place.padEnd(width) : `…${place.slice(1 - width)}`;
}

/** How many matches an entry has. */
export function countLine(item: Searched, matches: number): Block {
  return line(
    span(count(matches).padStart(7)),
    GAP,
    span((idOf(item) ?? '').padEnd(ID_CELLS), 'id'),
    GAP,
    span(lineText(item), 'faint'),
    GAP,
    span(item.name),
  );
}

export function totalLine(matches: number, entries: number): Block {
  return line(span(`${plural(matches, 'match', 'matches')} in ${plural(entries, 'entry', 'entries')}`, 'faint'));
}

function lineText({ head }: Searched): string {
  return (head === null ? '' : String(head.line)).padStart(LINE_CELLS);
}

/** The cells that a line has room for, each with a gap behind it; the last ones are left out first. */
function leftOf(columns: number, cells: readonly Span[]): readonly Span[] {
  for (let kept = cells.length; kept > 1; kept -= 1) {
    const spans = cells.slice(0, kept).flatMap(({ text, tone }) => [span(visibleLine(text), tone), span(GAP)]);
    if (columns - cellsOf(spans) >= FEWEST_CELLS) return spans;
  }
  return [];
}

function cellsOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + mostCells(text), 0);
}

/** No character takes more than two cells for each of its code units. */
function mostCells(text: string): number {
  return /^[ -~…]*$/.test(text) ? text.length : text.length * 2;
}

/** What stands before a match is cut at its left side where the line has no room for all, but keeps a third of it. */
function excerpt({ text, textStart, start, end }: TextMatch, cells: number): readonly Span[] {
  const found = visibleLine(text.slice(start, end));
  const after = visibleLine(text.slice(end)).trimEnd();
  const room = Math.max(1, Math.floor(cells / 3), cells - mostCells(found) - mostCells(after));
  return [span(beginning(text.slice(0, start), room, textStart > 0)), span(found, 'strong'), span(after)];
}

function beginning(text: string, cells: number, isCut: boolean): string {
  const whole = visibleLine(text);
  if (!isCut && mostCells(whole) <= cells) return whole;
  const trimmed = whole.trimStart();
  return !isCut && mostCells(trimmed) <= cells ? trimmed : `…${lastCells(trimmed, cells - 1)}`;
}

function lastCells(text: string, cells: number): string {
  let from = text.length;
  for (let left = cells; from > 0; from -= 1) {
    left -= mostCells(text.charAt(from - 1));
    if (left < 0) break;
  }
  return text.slice(from).replace(/^[\udc00-\udfff]/, '');
}
