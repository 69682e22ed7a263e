import { type FoundLine, groupMatchesByLine, type LineMatch } from '#analysis/search/found-lines.js';
import type { SearchedItem } from '#analysis/search/searched-items.js';
import { pluralize } from '#base/numbers.js';
import { formatId, type Head } from '#session/heads/head.js';
import { type Block, gap, line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { GrepCountLine, GrepMatchLine } from './document.js';
import type { FolderSearch } from './search-folder.js';
import { addHiddenMatches, findMatches, type HiddenMatches, type Search } from './search.js';
import {
  groupSeparator,
  NARROWEST_WIDTHS,
  renderColumnTitles,
  renderFoundLine,
  renderHiddenNote,
  renderHider,
  renderMatchCount,
  renderMatchTotal,
  renderNumberedLine,
  renderSource,
  widenColumns,
} from './view.js';

/** One item for each match: what programs read. */
export function* listMatchResults(search: Search): Generator<Printable> {
  for (const item of search.items) {
    for (const found of findMatches(search, item)) yield { data: toMatchLine(item, found, search), doc: () => [] };
    if (search.found >= search.most) return;
  }
}

function toMatchLine(item: SearchedItem, found: LineMatch, search: Search): GrepMatchLine {
  const { before, after, isWhole: _, ...match } = found.match;
  const hider = search.hiderOf(item, found);
  const matchLine: GrepMatchLine = {
    schema: 'ctx/grep-match',
    schemaVersion: 1,
    ...toSourceFields(item, found.head),
    place: found.source.place,
    ...match,
    isVisible: search.isSeen(item, found),
    hiddenBy: hider && { entryId: formatId(hider.id), type: hider.type },
  };
  return search.around > 0 ? { ...matchLine, before: [...before], after: [...after] } : matchLine;
}

/**
 * One item for each line with matches, in columns; on a terminal below its entry. `hidden` searches the text that
 * the model does not see, for a note on a terminal.
 */
export function* listLineResults(search: Search, hidden: Search | null): Generator<Printable> {
  const { where, around } = search;
  let widths = NARROWEST_WIDTHS;
  let hider: Head | null | undefined;
  let last: FoundLine | null = null;
  for (const item of search.items) {
    for (const found of groupMatchesByLine(findMatches(search, item))) {
      widths = widenColumns(widths, item, found);
      const now = where === 'hidden' ? search.hiderOf(item, found.first) : undefined;
      const isOther = now !== undefined && (last === null || hider?.index !== now?.index);
      const at = widths;
      const above = last;
      yield {
        data: null,
        doc: ({ columns, isTerminal }) => {
          const hiding = isOther ? [renderHider(now)] : [];
          const source = [...hiding, renderSource(item, found, at)];
          if (isTerminal && around === 0) return renderBelowSource(found, above, columns, source);
          const title = above ? [] : [renderColumnTitles(at, columns, around === 0)];
          if (around > 0) return [...title, ...renderWithContext(found, above, columns, source)];
          return [...title, ...hiding, renderFoundLine(item, found, at, columns)];
        },
      };
      hider = now;
      last = found;
    }
    if (search.found >= search.most) break;
  }
  const end = last;
  if (end && around > 0) yield { data: null, doc: ({ columns }) => renderLinesAfter(end, Infinity, columns) };
  if (hidden && where === 'context' && search.found < search.most) yield* listHiddenNote(hidden, search.found);
}

/** The matches that the search of the context did not reach. */
function* listHiddenNote(hidden: Search, found: number): Generator<Printable> {
  const all: HiddenMatches = { found: 0, types: new Set() };
  addHiddenMatches(all, hidden);
  if (all.found > 0) yield { data: null, doc: () => [renderHiddenNote(all, found > 0)] };
}

/** The last line on a terminal: what was searched, and where to go on. */
export function toScopeResult(text: string): Printable {
  return { data: null, doc: () => [line(span(text, 'faint'))] };
}

/** The total of many sessions with `--count`, or else the number of matches that the model does not see. */
export function* listFolderTotals(
  { found, sessions, hidden, query }: FolderSearch,
  isCount: boolean,
): Generator<Printable> {
  const above = found > 0 ? [gap] : [];
  if (isCount) yield { data: null, doc: () => [...above, renderMatchTotal(found, pluralize(sessions, 'session'))] };
  else if (hidden && hidden.found > 0 && found < query.most)
    yield { data: null, doc: () => [...above, renderHiddenNote(hidden, found > 0)] };
}

/** A matching line below its entry, which is printed once for all lines of a text. */
function renderBelowSource(
  found: FoundLine,
  above: FoundLine | null,
  columns: number,
  title: readonly Block[],
): readonly Block[] {
  const isSameText = above?.first.source === found.first.source;
  return [...(isSameText ? [] : title), renderNumberedLine(found.lineInText, found, columns)];
}

/**
 * A line with its context. Lines between two matches are printed once: the rest of the previous context comes first.
 */
function renderWithContext(
  found: FoundLine,
  above: FoundLine | null,
  columns: number,
  title: readonly Block[],
): readonly Block[] {
  const isSameText = above?.first.source === found.first.source;
  const first = found.lineInText - found.before.length;
  const reached = above && isSameText ? above.lineInText + above.after.length : 0;
  const rest = above ? renderLinesAfter(above, isSameText ? found.lineInText : Infinity, columns) : [];
  const before = found.before.flatMap((text, at) =>
    first + at > reached ? renderNumberedLine(first + at, text, columns) : [],
  );
  const isNext = isSameText && first <= reached + 1;
  return [
    ...rest,
    ...(above && !isNext ? [groupSeparator] : []),
    ...(isSameText ? [] : title),
    ...before,
    renderNumberedLine(found.lineInText, found, columns),
  ];
}

function renderLinesAfter({ lineInText, after }: FoundLine, end: number, columns: number): readonly Block[] {
  const lines = after.slice(0, Math.max(0, end - lineInText - 1));
  return lines.map((text, at) => renderNumberedLine(lineInText + 1 + at, text, columns));
}

/** One item for each entry, system part and tool with matches, and a total. */
export function* listCountResults(search: Search, isForPeople: boolean): Generator<Printable> {
  let places = 0;
  for (const item of search.items) {
    const { matches, head } = countMatches(findMatches(search, item));
    if (matches === 0) continue;
    places += 1;
    const data: GrepCountLine = { schema: 'ctx/grep-count', schemaVersion: 1, ...toSourceFields(item, head), matches };
    yield { data, doc: () => [renderMatchCount(item, head, matches)] };
    if (search.found >= search.most) break;
  }
  if (isForPeople) yield { data: null, doc: () => [renderMatchTotal(search.found, pluralize(places, 'place'))] };
}

/** The number of matches, and their entry, if it is a single one. */
function countMatches(all: Iterable<LineMatch>): { readonly matches: number; readonly head: Head | null } {
  let matches = 0;
  const heads = new Map<number | null, Head | null>();
  for (const { head } of all) {
    matches += 1;
    heads.set(head?.index ?? null, head);
  }
  const [head = null] = heads.values();
  return { matches, head: heads.size === 1 ? head : null };
}

function toSourceFields(
  { name, part, role }: SearchedItem,
  head: Head | null,
): Pick<GrepMatchLine, 'entryId' | 'line' | 'type' | 'name' | 'part' | 'role'> {
  return { entryId: formatId(head?.id), line: head?.line ?? null, type: head?.type ?? null, name, part, role };
}
