import type { FoundLine } from '#analysis/search/found-lines.js';
import type { SearchedItem } from '#analysis/search/searched-items.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { sliceStart } from '#base/text.js';
import { toVisibleLine } from '#base/visible.js';
import { formatId, type Head } from '#session/heads/head.js';
import { type Block, cutLine, line, type Span, span } from '#ui/doc/doc.js';
import type { HiddenMatches, SearchQuery } from './search.js';

const GAP = '  ';
/** The minimum width of a match with its surroundings. */
const FEWEST_CELLS = 12;
const ID_CELLS = 8;
const LINE_CELLS = 4;
const NAME_CELLS = 10;
const LONGEST_NAME = 20;
const SHORTEST_PLACE = 15;
const LONGEST_PLACE = 32;
/** The shown length of a line that is too long to be handwritten, such as minified code. */
const LONGEST_EXCERPT = 240;

/** The widths of the columns, which only grow, since rows are printed before the next ones are known. */
export interface GrepWidths {
  readonly line: number;
  readonly name: number;
  readonly place: number;
}

export const NARROWEST_WIDTHS: GrepWidths = { line: LINE_CELLS, name: NAME_CELLS, place: SHORTEST_PLACE };

/** The widths that have room for a row, too. */
export function widenColumns(
  { line: number, name, place }: GrepWidths,
  item: SearchedItem,
  found: FoundLine,
): GrepWidths {
  return {
    line: Math.max(number, formatLine(found.head).length),
    name: Math.min(LONGEST_NAME, Math.max(name, item.name.length)),
    place: Math.min(LONGEST_PLACE, Math.max(place, found.place.length)),
  };
}

/** The titles of the columns; without the last one if the texts are below their source. */
export function renderColumnTitles(widths: GrepWidths, columns: number, hasText: boolean): Block {
  const cells = fitLeftCells(columns, padCells(TITLES, widths)).map(({ text }) => text);
  return cutLine(span(`${cells.join('')}${hasText ? 'text' : ''}`.trimEnd(), 'faint'));
}

/** A line of text with all that was found in it. The first match is always in sight, however long the line is. */
export function renderFoundLine(item: SearchedItem, found: FoundLine, widths: GrepWidths, columns: number): Block {
  const left = fitLeftCells(columns, padCells(toSourceCells(item, found), widths));
  return cutLine(...left, ...renderExcerpt(found, columns - measureCells(left)));
}

/** The source of the lines below it. */
export function renderSource(item: SearchedItem, found: FoundLine, widths: GrepWidths): Block {
  const [id, number, name] = padCells(toSourceCells(item, found), widths);
  return cutLine(...separateCells([id, number, name]), span(found.place, 'faint'));
}

/** A line of a text with its number, as in grep: a colon after a match, a dash after a line of context. */
export function renderNumberedLine(lineInText: number, text: string | FoundLine, columns: number): Block {
  const renderNumber = (mark: string): Span => span(`${String(lineInText).padStart(LINE_CELLS)}${mark}`, 'faint');
  if (typeof text === 'string') {
    const number = renderNumber(text.trim() === '' ? '-' : '- ');
    return cutLine(number, span(shortenLine(toVisibleLine(text)), 'faint'));
  }
  const number = renderNumber(': ');
  return cutLine(number, ...renderExcerpt(text, columns - number.text.length));
}

/** Between lines that do not follow one another. */
export const groupSeparator: Block = line(span('--', 'faint'));

/** The title of a group of matches: the entry that hid them from the model. */
export function renderHider(hider: Head | null): Block {
  if (!hider) return line(span('hidden by no entry', 'faint'));
  return line(
    span('hidden by ', 'faint'),
    span(formatId(hider.id) ?? 'no id', 'id'),
    span(` (${hider.type})`, 'faint'),
  );
}

/** The commands that show matches which the model does not see. */
export function renderHiddenNote({ found: matches, types }: HiddenMatches, isMore: boolean): Block {
  const [only = ''] = types;
  const by = (types.size === 1 ? HIDERS[only] : undefined) ?? 'from the model';
  const what = isMore
    ? `${formatCount(matches)} more ${matches === 1 ? 'match is' : 'matches are'}`
    : describeUnseen(matches);
  return line(span(`${what} hidden ${by}: --where hidden`, 'faint'));
}

function describeUnseen(matches: number): string {
  return `no match in the context; ${pluralize(matches, 'match is', 'matches are')}`;
}

const HIDERS: Readonly<Record<string, string>> = {
  compaction: 'by a compaction',
  context_edit: 'by an edit',
  context_transform: 'by a transform',
};

/** Names the texts that a search looked at, and the searches that look further. */
export function describeScope({ where, place, again }: SearchScope): string {
  const next = [...(WIDER[where] ?? []), ...(again === null ? [] : [`all sessions: ${again}`])];
  const further = next.length === 0 ? '' : `; next: ${next.join(', ')}`;
  return `searched ${SEARCHED[where]} of ${place}${further}`;
}

export interface SearchScope {
  readonly where: SearchQuery['where'];
  /** The session, or the number of sessions. */
  readonly place: string;
  /** The command that searches all sessions; null if this one does. */
  readonly again: string | null;
}

const SEARCHED: Readonly<Record<SearchQuery['where'], string>> = {
  context: 'the context',
  path: 'the path',
  all: 'all entries',
  hidden: 'what the model no longer sees',
};

const WIDER: Readonly<Partial<Record<SearchQuery['where'], readonly string[]>>> = {
  context: ['--where hidden', '--where all'],
  path: ['--where all'],
  hidden: ['--where all'],
};

/** The number of matches in an entry. */
export function renderMatchCount(item: SearchedItem, head: Head | null, matches: number): Block {
  const source = { id: formatId(head?.id) ?? '', line: formatLine(head), name: '', place: '' };
  const [id, number] = padCells(source, NARROWEST_WIDTHS);
  const count = span(formatCount(matches).padStart(7));
  const name = item.part === null ? item.name : `${item.name} ${item.part}`;
  return cutLine(...separateCells([count, id, number]), span(name));
}

/** `where`: in places of a session, which are entries, system parts and tools, or in sessions. */
export function renderMatchTotal(matches: number, where: string): Block {
  return line(span(`${pluralize(matches, 'match', 'matches')} in ${where}`, 'faint'));
}

/** The source of a match, as its columns show it. */
interface SourceCells {
  /** The id of the entry. */
  readonly id: string;
  readonly line: string;
  readonly name: string;
  readonly place: string;
}

const TITLES: SourceCells = { id: 'entry', line: 'line', name: 'name', place: 'place' };

function toSourceCells(item: SearchedItem, { head, place }: FoundLine): SourceCells {
  return { id: formatId(head?.id) ?? '', line: formatLine(head), name: item.name, place };
}

function formatLine(head: Head | null): string {
  return head === null ? '' : String(head.line);
}

type PaddedCells = readonly [id: Span, line: Span, name: Span, place: Span];

function padCells({ id, line: number, name, place }: SourceCells, widths: GrepWidths): PaddedCells {
  return [
    span(id.padEnd(ID_CELLS), 'id'),
    span(number.padStart(widths.line), 'faint'),
    span(name.padEnd(widths.name)),
    span(cutStart(place, widths.place), 'faint'),
  ];
}

/** Cells with a gap after each. */
function separateCells(cells: readonly Span[]): readonly (Span | string)[] {
  return cells.flatMap((cell) => [cell, GAP]);
}

/** A place in a column; a long one is cut at its beginning, because the end identifies it. */
function cutStart(place: string, width: number): string {
  return place.length <= width ? place.padEnd(width) : `…${place.slice(1 - width)}`;
}

/** The cells that fit into a line, each followed by a gap; the last ones are omitted first. */
function fitLeftCells(columns: number, cells: readonly Span[]): readonly Span[] {
  for (let kept = cells.length; kept > 1; kept -= 1) {
    const spans = cells.slice(0, kept).flatMap(({ text, tone }) => [span(toVisibleLine(text), tone), span(GAP)]);
    if (columns - measureCells(spans) >= FEWEST_CELLS) return spans;
  }
  return [];
}

function measureCells(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + measureMostCells(text), 0);
}

/** No character takes more than two cells for each of its code units. */
function measureMostCells(text: string): number {
  return /^[ -~…]*$/.test(text) ? text.length : text.length * 2;
}

/** Cuts the text before a match at its left where a line is too long, and keeps a third of the width for it. */
function renderExcerpt({ text, textStart, isWhole, spans }: FoundLine, columns: number): readonly Span[] {
  const cells = isWhole ? columns : Math.min(columns, LONGEST_EXCERPT);
  const [{ start } = { start: 0 }] = spans;
  // The text after it is cut at the edge of the terminal; without a terminal, here.
  const near =
    isWhole || text.length - start <= LONGEST_EXCERPT ? text : `${sliceStart(text, start + LONGEST_EXCERPT)}…`;
  const { end } = spans[0] ?? { end: 0 };
  const found = toVisibleLine(near.slice(start, end));
  const after = toVisibleLine(near.slice(end)).trimEnd();
  const room = Math.max(1, Math.floor(cells / 3), cells - measureMostCells(found) - measureMostCells(after));
  return [span(cutBeginning(text.slice(0, start), room, textStart > 0)), ...emphasize(near, spans)];
}

function emphasize(text: string, spans: FoundLine['spans']): readonly Span[] {
  const parts: Span[] = [];
  let at = spans[0]?.start ?? 0;
  for (const { start, end } of spans) {
    if (start >= text.length) break;
    parts.push(span(text.slice(at, start)), span(text.slice(start, end), 'strong'));
    at = end;
  }
  parts.push(span(text.slice(at).trimEnd()));
  return parts.filter((part) => part.text !== '').map((part) => span(toVisibleLine(part.text), part.tone));
}

function cutBeginning(text: string, cells: number, isCut: boolean): string {
  const whole = toVisibleLine(text);
  if (!isCut && measureMostCells(whole) <= cells) return whole;
  const trimmed = whole.trimStart();
  return !isCut && measureMostCells(trimmed) <= cells ? trimmed : `…${takeLastCells(trimmed, cells - 1)}`;
}

function takeLastCells(text: string, cells: number): string {
  let from = text.length;
  for (let left = cells; from > 0; from -= 1) {
    left -= measureMostCells(text.charAt(from - 1));
    if (left < 0) break;
  }
  return text.slice(from).replace(/^[\udc00-\udfff]/, '');
}

/** A line of context. The reader of the text has already truncated a very long one. */
function shortenLine(text: string): string {
  return text.length <= LONGEST_LINE ? text : `${sliceStart(text, LONGEST_EXCERPT)}…`;
}

const LONGEST_LINE = 999;
