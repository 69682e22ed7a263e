import { type FoundEntry, WORD_TABLES, type WordFilter, WordIndex } from '#analysis/search/word-index.js';
import { formatTerm, type WordQuery } from '#analysis/search/word-query.js';
import { CtxError, type Problem } from '#base/errors.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { Io } from '#platform/io.js';
import { updateIndex } from './update-index.js';

/** The sessions that are printed, unless `--max` says otherwise. */
export const MOST_SESSIONS = 5;
/** The number of best entries whose sessions are listed. */
const MOST_ENTRIES = 1000;

/** The entries that were found, the best first. */
export interface FoundEntries {
  readonly entries: readonly FoundEntry[];
  /** Each term with the number of its sessions, if no entry has all terms; null otherwise. */
  readonly terms: readonly TermCount[] | null;
}

/** A term of a search, and the number of sessions that have it. */
export interface TermCount {
  readonly text: string;
  readonly sessions: number;
}

/** The entries that were found, and the sessions that cannot be read. */
interface SearchOutcome extends FoundEntries {
  readonly problems: readonly Problem[];
}

/** Searches the index of words, after reading the sessions that have changed since. */
export async function searchIndex(
  io: Io,
  query: WordQuery,
  filter: WordFilter,
  files: readonly NamedFile[],
): Promise<SearchOutcome> {
  try {
    return await searchOnce(io, query, filter, files);
  } catch (error) {
    if (error instanceof CtxError) throw error;
    // The database was damaged, and has been discarded: the sessions are read again.
    return searchOnce(io, query, filter, files);
  }
}

async function searchOnce(
  io: Io,
  query: WordQuery,
  filter: WordFilter,
  files: readonly NamedFile[],
): Promise<SearchOutcome> {
  const database = await io.openIndexDatabase('words', WORD_TABLES);
  try {
    const index = new WordIndex(database.sqlite);
    const problems = await updateIndex(io, index, files);
    const found = search(index, query, filter, files.length);
    await database.close();
    return { ...found, problems };
  } catch (error) {
    await (error instanceof CtxError ? database.close() : database.discard());
    throw error;
  }
}

/**
 * The entries with all terms. If there is none: those with all terms that occur somewhere, else those with any term that
 * tells sessions apart. A term that occurs in most sessions finds nothing by itself.
 */
function search(index: WordIndex, query: WordQuery, filter: WordFilter, searched: number): FoundEntries {
  const entries = index.search(query, 'all', filter, MOST_ENTRIES);
  if (entries.length > 0 || query.terms.length === 1) return { entries, terms: null };

  const counted = query.terms.map((term) => ({ term, sessions: index.countFiles({ terms: [term] }, filter) }));
  const terms = counted.map(({ term, sessions }) => ({ text: formatTerm(term), sessions }));
  const occurring = counted.filter(({ sessions }) => sessions > 0);
  const telling = occurring.filter(({ sessions }) => sessions <= Math.max(MOST_SESSIONS, searched / 2));
  if (telling.length === 0) return { entries: [], terms };

  if (occurring.length < counted.length) {
    const together = index.search({ terms: occurring.map(({ term }) => term) }, 'all', filter, MOST_ENTRIES);
    if (together.length > 0) return { entries: together, terms };
  }
  const some = { terms: telling.map(({ term }) => term) };
  return { entries: index.search(some, 'any', filter, MOST_ENTRIES), terms };
}

/** An entry that was found, and the absolute files of other sessions that have a copy of it. */
interface EntryWithCopies {
  readonly found: FoundEntry;
  readonly copies: string[];
}

/** The entries of a session that were found, the best first. */
export type SessionEntries = readonly [EntryWithCopies, ...EntryWithCopies[]];

/**
 * The entries of each session, the session with the best one first. Copies of an entry in other sessions are folded
 * into it.
 */
export function groupBySession(entries: readonly FoundEntry[]): readonly SessionEntries[] {
  const originals = new Map<string, EntryWithCopies>();
  const sessions = new Map<string, [EntryWithCopies, ...EntryWithCopies[]]>();
  for (const found of entries) {
    const moment = found.time ?? found.entryId;
    const key = `${moment} ${found.name} ${found.hash}`;
    const original = moment === null ? undefined : originals.get(key);
    const isCopy = original !== undefined && original.found.path !== found.path;
    if (isCopy && !original.copies.includes(found.path)) original.copies.push(found.path);
    if (isCopy || original?.found.entryId === found.entryId) continue;

    const entry = { found, copies: [] };
    if (!original) originals.set(key, entry);
    const listed = sessions.get(found.path);
    if (listed) listed.push(entry);
    else sessions.set(found.path, [entry]);
  }
  return [...sessions.values()];
}
