import { declarers, Hiders } from '#analysis/search/hidden-by.js';
import { PatternSearch } from '#analysis/search/pattern-search.js';
import {
  type LineMatch,
  mayHold,
  type Searched,
  searchedInContext,
  searchedInEntries,
} from '#analysis/search/searched.js';
import type { SearchPattern } from '#analysis/search/text-matches.js';
import { bringsText, visibleForms } from '#analysis/search/visible-forms.js';
import { CtxError, type Problem } from '#base/errors.js';
import { once } from '#base/once.js';
import { envelopeAt, type OpenSession } from '#context/open.js';
import type { Head } from '#session/table/head.js';
import { pathAt } from '../session.js';

/** A search: where, for what, and up to how many matches. */
export interface SearchWish {
  readonly where: 'context' | 'path' | 'all' | 'hidden';
  readonly at: string | undefined;
  readonly role: string | undefined;
  readonly type: string | undefined;
  readonly tool: string | undefined;
  readonly lenient: boolean;
  /** Lines around a match. */
  readonly around: number;
  /** No more matches than these. */
  readonly most: number;
}

export interface Search extends SearchWish {
  readonly items: Iterable<Searched>;
  readonly pattern: PatternSearch;
  readonly problems: readonly Problem[];
  /** Whether the model sees a match; null if that is unknown. */
  isSeen(item: Searched, found: LineMatch): boolean | null;
  /** The entry that hid a match from the model; null if none did, or if that is unknown. */
  hiderOf(item: Searched, found: LineMatch): Head | null;
  /** The entry with a text of an item. */
  headOf(item: Searched, line: string): Head | null;
  /** Whether `--where` selects a match. */
  isWanted(item: Searched, found: LineMatch): boolean;
  /** Matches so far. */
  found: number;
}

export function startSearch(session: OpenSession, wish: SearchWish, { regex, literal }: SearchPattern): Search {
  const { where, role, type, lenient } = wish;
  const { path } = pathAt(session, wish.at);
  const isOnPath = new Set(path.map(({ index }) => index));
  const envelope = once(() => envelopeAt(session, wish.at, { lenient }));
  const forms = once(() => visibleForms(envelope()));
  const isShown = (item: Searched, { source, match, head }: LineMatch): boolean =>
    item.isFromContext ||
    (source.isForModel && head !== null && isOnPath.has(head.index) && forms().isVisible(head, match.text));
  const passes = (head: Head): boolean =>
    (type === undefined || head.type === type) &&
    (role === undefined || head.role === role) &&
    (where !== 'hidden' || (bringsText(head) && !forms().isUnchanged(head))) &&
    (literal === null || mayHold(session, head, literal));
  const items =
    where === 'context'
      ? searchedInContext(envelope(), path)
      : searchedInEntries(session, filtered(where === 'all' ? session.tree.heads : path, passes));
  const hiders = new Hiders(session, path, { readPatch: session.readPatch, lenient });
  const isBroken = once(() => cannotReplay(forms));
  const pattern = new PatternSearch(regex, wish.around);
  const declarer = declarers(session, path, session.readPatch, envelope);
  return {
    ...wish,
    items: pattern.ahead(filtered(items, (item) => isAsked(item, wish))),
    pattern,
    problems: where === 'context' || where === 'hidden' ? envelope().meta.diagnostics : session.problems,
    isSeen: (item, found) => (isBroken() ? null : isShown(item, found)),
    hiderOf: (item, found) =>
      found.head && found.source.isForModel && isOnPath.has(found.head.index) && !isBroken() && !isShown(item, found)
        ? hiders.of(found.head, found.match.text)
        : null,
    headOf: (item, line) =>
      item.part === null ? item.head : declarer(item.name === 'tool' ? 'tool' : 'system', item.part, line),
    isWanted: (item, found) =>
      (type === undefined || found.head?.type === type) &&
      (where !== 'hidden' || (found.source.isForModel && !isShown(item, found))),
    found: 0,
  };
}

/** Whether the flags of a search select an item; the type of a part of the prompt is that of its entry. */
function isAsked({ part, head, role: own, tools }: Searched, { type, role, tool }: SearchWish): boolean {
  return (
    (type === undefined || part !== null || head?.type === type) &&
    (role === undefined || own === role) &&
    (tool === undefined || tools.includes(tool))
  );
}

/** The matches of an item, until there are enough. */
export function* matchesOf(search: Search, item: Searched): Generator<LineMatch> {
  for (const source of item.places) {
    for (const match of search.pattern.matches(source)) {
      const found = { source, match, head: search.headOf(item, match.text) };
      if (!search.isWanted(item, found)) continue;
      search.found += 1;
      yield found;
      if (search.found >= search.most) return;
    }
  }
}

/** A path that cannot be replayed has no context to compare with. */
function cannotReplay(replay: () => unknown): boolean {
  try {
    replay();
    return false;
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return true;
    throw error;
  }
}

function* filtered<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Generator<Item> {
  for (const item of items) if (isWanted(item)) yield item;
}
