import { buildDeclarerLookup } from '#analysis/search/declarer-lookup.js';
import { mayAddText } from '#analysis/search/entry-texts.js';
import type { LineMatch } from '#analysis/search/found-lines.js';
import { HiderSearch } from '#analysis/search/hider-search.js';
import { mayLineContain } from '#analysis/search/line-literal.js';
import { PatternSearch } from '#analysis/search/pattern-search.js';
import type { SearchPattern } from '#analysis/search/search-pattern.js';
import { listContextItems, listEntryItems, type SearchedItem } from '#analysis/search/searched-items.js';
import { buildVisibleForms } from '#analysis/search/visible-forms.js';
import { CtxError, type Problem } from '#base/errors.js';
import { once } from '#base/memoize.js';
import { envelopeAt } from '#context/envelope-at.js';
import type { OpenSession } from '#context/open.js';
import type { Head } from '#session/heads/head.js';
import { resolvePath } from '#session/tree/revision.js';

/** A search: where, for what, and up to how many matches. */
export interface SearchQuery {
  readonly where: 'context' | 'path' | 'all' | 'hidden';
  readonly at: string | undefined;
  readonly role: string | undefined;
  readonly type: string | undefined;
  readonly tool: string | undefined;
  /** Lines around a match. */
  readonly around: number;
  /** No more matches than these. */
  readonly most: number;
}

export interface Search extends SearchQuery {
  readonly items: Iterable<SearchedItem>;
  readonly pattern: PatternSearch;
  readonly problems: readonly Problem[];
  /** Whether the model sees a match; null if that is unknown. */
  isSeen(item: SearchedItem, found: LineMatch): boolean | null;
  /** The entry that hid a match from the model; null if none did, or if that is unknown. */
  hiderOf(item: SearchedItem, found: LineMatch): Head | null;
  /** The entry with a text of an item. */
  headOf(item: SearchedItem, line: string): Head | null;
  /** Whether `--where` selects a match. */
  isWanted(item: SearchedItem, found: LineMatch): boolean;
  /** Matches so far. */
  found: number;
}

/** Starts a search of a session. What it needs of the context is computed when it is first needed. */
export function startGrep(session: OpenSession, query: SearchQuery, { regex, literal }: SearchPattern): Search {
  const { where, role, type } = query;
  const { path } = resolvePath(session, query.at);
  const pathIndexes = new Set(path.map(({ index }) => index));
  const envelope = once(() => envelopeAt(session, query.at));
  const forms = once(() => buildVisibleForms(envelope()));
  const isBroken = once(() => isReplayBroken(forms));
  const hiders = new HiderSearch(session, path);
  const pattern = new PatternSearch(regex, query.around);
  const declarer = buildDeclarerLookup(session, path, envelope);

  const mayMatch = (head: Head): boolean => {
    if (type !== undefined && head.type !== type) return false;
    if (role !== undefined && head.role !== role) return false;
    if (where === 'hidden' && (!mayAddText(head) || forms().isUnchanged(head))) return false;
    return literal === null || mayLineContain(session, head, literal);
  };
  const listItems = (): Iterable<SearchedItem> => {
    if (where === 'context') return listContextItems(session, envelope(), path);
    const heads = where === 'all' ? session.tree.heads : path;
    return listEntryItems(session, filterItems(heads, mayMatch));
  };
  const isShown = (item: SearchedItem, { source, match, head }: LineMatch): boolean => {
    if (item.isFromContext) return true;
    if (!source.isForModel || head === null || !pathIndexes.has(head.index)) return false;
    return forms().isVisible(head, match.text);
  };
  const findHider = (item: SearchedItem, found: LineMatch): Head | null => {
    const { source, match, head } = found;
    if (!source.isForModel || head === null || !pathIndexes.has(head.index)) return null;
    if (isBroken() || isShown(item, found)) return null;
    return hiders.findHider(head, match.text);
  };
  return {
    ...query,
    items: pattern.searchAhead(filterItems(listItems(), (item) => isSelected(item, query))),
    pattern,
    problems: where === 'context' || where === 'hidden' ? envelope().meta.diagnostics : session.problems,
    isSeen: (item, found) => (isBroken() ? null : isShown(item, found)),
    hiderOf: findHider,
    headOf({ part, head, name }, text) {
      if (part === null) return head;
      return declarer(name === 'tool' ? 'tool' : 'system', part, text);
    },
    isWanted(item, found) {
      if (type !== undefined && found.head?.type !== type) return false;
      return where !== 'hidden' || (found.source.isForModel && !isShown(item, found));
    },
    found: 0,
  };
}

/** Whether the flags of a search select an item; the type of a part of the prompt is that of its entry. */
function isSelected({ part, head, role: own, tools }: SearchedItem, { type, role, tool }: SearchQuery): boolean {
  return (
    (type === undefined || part !== null || head?.type === type) &&
    (role === undefined || own === role) &&
    (tool === undefined || tools.includes(tool))
  );
}

/** The matches of an item, until there are enough. */
export function* findMatches(search: Search, item: SearchedItem): Generator<LineMatch> {
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

/** Matches that the model does not see, and the types of the entries that hide them. */
export interface HiddenMatches {
  found: number;
  readonly types: Set<string>;
}

/** Adds the matches of a search of the hidden text. */
export function addHiddenMatches(hidden: HiddenMatches, search: Search): void {
  for (const item of search.items)
    for (const match of findMatches(search, item)) hidden.types.add(search.hiderOf(item, match)?.type ?? '');
  hidden.found += search.found;
}

/** The search of the hidden text, for a search of the context. */
export function toHiddenQuery(query: SearchQuery): SearchQuery {
  return { ...query, where: 'hidden', around: 0, most: Infinity };
}

/** A path that cannot be replayed has no context to compare with. */
function isReplayBroken(replay: () => unknown): boolean {
  try {
    replay();
    return false;
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return true;
    throw error;
  }
}

function* filterItems<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Generator<Item> {
  for (const item of items) {
    if (isWanted(item)) yield item;
  }
}
