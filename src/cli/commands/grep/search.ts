import { buildDeclarerLookup } from '#analysis/search/declarer-lookup.js';
import { mayAddText } from '#analysis/search/entry-texts.js';
import type { LineMatch } from '#analysis/search/found-lines.js';
import { HiderSearch } from '#analysis/search/hider-search.js';
import { mayLineContain } from '#analysis/search/line-literal.js';
import { PatternSearch } from '#analysis/search/pattern-search.js';
import type { SearchPattern } from '#analysis/search/search-pattern.js';
import { listContextItems, listEntryItems, type SearchedItem } from '#analysis/search/searched-items.js';
import { buildVisibleForms } from '#analysis/search/visible-forms.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { once } from '#base/memoize.js';
import { findNamedFiles, mayMeanMany, type NamedFile } from '#cli/sessions/named-files.js';
import { runJobs } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { envelopeAt, openForCommand, type OpenSession, withSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { resolvePath } from '#session/tree/revision.js';
import { fileSpan, gap, line } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';

/** A search: where, for what, and up to how many matches. */
export interface SearchQuery {
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

export function startSearch(session: OpenSession, wish: SearchQuery, { regex, literal }: SearchPattern): Search {
  const { where, role, type, lenient } = wish;
  const { path } = resolvePath(session, wish.at);
  const isOnPath = new Set(path.map(({ index }) => index));
  const envelope = once(() => envelopeAt(session, wish.at, { lenient }));
  const forms = once(() => buildVisibleForms(envelope()));
  const isShown = (item: SearchedItem, { source, match, head }: LineMatch): boolean =>
    item.isFromContext ||
    (source.isForModel && head !== null && isOnPath.has(head.index) && forms().isVisible(head, match.text));
  const passes = (head: Head): boolean =>
    (type === undefined || head.type === type) &&
    (role === undefined || head.role === role) &&
    (where !== 'hidden' || (mayAddText(head) && !forms().isUnchanged(head))) &&
    (literal === null || mayLineContain(session, head, literal));
  const items =
    where === 'context'
      ? listContextItems(envelope(), path)
      : listEntryItems(session, filtered(where === 'all' ? session.tree.heads : path, passes));
  const hiders = new HiderSearch(session, path, { readPatch: session.readPatch, lenient });
  const isBroken = once(() => cannotReplay(forms));
  const pattern = new PatternSearch(regex, wish.around);
  const declarer = buildDeclarerLookup(session, path, session.readPatch, envelope);
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
    headOf: (item, text) =>
      item.part === null ? item.head : declarer(item.name === 'tool' ? 'tool' : 'system', item.part, text),
    isWanted: (item, found) =>
      (type === undefined || found.head?.type === type) &&
      (where !== 'hidden' || (found.source.isForModel && !isShown(item, found))),
    found: 0,
  };
}

/** Whether the flags of a search select an item; the type of a part of the prompt is that of its entry. */
function isAsked({ part, head, role: own, tools }: SearchedItem, { type, role, tool }: SearchQuery): boolean {
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
export function toHiddenQuery(wish: SearchQuery): SearchQuery {
  return { ...wish, where: 'hidden', around: 0, most: Infinity };
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

/** A search of many sessions. */
export interface FolderSearch {
  readonly files: readonly NamedFile[];
  readonly wish: SearchQuery;
  readonly pattern: SearchPattern;
  /** The reports of one session. */
  reportsOf(search: Search): Iterable<Printable>;
  readonly problems: Problem[];
  /** Those so far that the search of the context does not reach; null if they are not counted. */
  readonly hidden: HiddenMatches | null;
  /** Matches so far, and the sessions with one. */
  found: number;
  sessions: number;
}

/** The sessions that a name means if it is a folder or a pattern; null if it is one session. */
export async function findSearchedFiles(io: Io, name: string): Promise<readonly NamedFile[] | null> {
  return mayMeanMany(io, name) ? findNamedFiles(io, [name]) : null;
}

/** Searches sessions in order, after finding those that may match. Each with matches is named above them. */
export async function* searchFolder(io: Io, folder: FolderSearch): AsyncGenerator<readonly Printable[]> {
  const { files } = folder;
  await using progress = startProgress(io, files.length, 'sessions');
  let place = 0;
  for await (const mayMatch of candidates(io, folder, () => progress.step())) {
    const some = files.slice(place, (place += mayMatch.length));
    for (const { file } of some.filter((_, at) => mayMatch[at])) {
      if (folder.found >= folder.wish.most) return;
      const reports = await sessionReports(io, folder, file);
      if (reports.length === 0) continue;
      await progress.clear();
      yield reports;
      progress.again();
    }
  }
}

/** Whether each file may match, in order. An unreadable file may: searching it gives the reason. */
async function* candidates(
  io: Io,
  { files, pattern: { literal } }: FolderSearch,
  onDone: () => void,
): AsyncGenerator<readonly boolean[]> {
  if (literal === null) {
    for (const _ of files) {
      onDone();
      yield [true];
    }
    return;
  }
  const inputs = files.map(({ file }) => ({ file, literal }));
  const sizes = files.map(({ size }) => size);
  for await (const results of runJobs(io, {
    job: 'mayHold',
    inputs,
    sizes,
    isRemembered: true,
    isLight: true,
    onDone,
  }))
    yield results.map((result) => !result.ok || result.output);
}

async function sessionReports(io: Io, folder: FolderSearch, file: string): Promise<readonly Printable[]> {
  try {
    return await withSession(openForCommand(io, file), (session) => reportsIn(session, folder));
  } catch (error) {
    if (!(error instanceof CtxError) || error.kind !== 'input') throw error;
    folder.problems.push(buildWarning('unreadable-session', `${file}: ${error.message}`));
    return [];
  }
}

/** Searches for as many matches as are left. The reports read entries, so they are made while the session is open. */
function reportsIn(session: OpenSession, folder: FolderSearch): readonly Printable[] {
  const { file } = session;
  const search = startSearch(session, { ...folder.wish, most: folder.wish.most - folder.found }, folder.pattern);
  const reports = [...folder.reportsOf(search)].map((report) => inFile(report, file));
  const isFirst = folder.found === 0;
  folder.found += search.found;
  folder.sessions += search.found > 0 ? 1 : 0;
  if (folder.hidden) addHiddenMatches(folder.hidden, startSearch(session, toHiddenQuery(folder.wish), folder.pattern));
  return search.found === 0 ? [] : titled(reports, file, isFirst);
}

function titled([first, ...others]: readonly Printable[], file: string, isFirst: boolean): readonly Printable[] {
  const title = [...(isFirst ? [] : [gap]), line(fileSpan(file, file, 'strong'))];
  return first ? [{ ...first, doc: (view) => [...title, ...first.doc(view)] }, ...others] : [];
}

/** Adds the file to the JSON of a match. */
function inFile({ data, doc }: Printable, file: string): Printable {
  if (data === null) return { data, doc };
  const { schema, schemaVersion, ...rest } = data as Readonly<Record<string, unknown>>;
  return { data: { schema, schemaVersion, file, ...rest }, doc };
}
