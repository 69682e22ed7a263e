import type { SearchPattern } from '#analysis/search/search-pattern.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { findNamedFiles, mayMeanMany } from '#cli/sessions/named-files.js';
import { runJobs } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { toLenient } from '#context/lenient.js';
import { openForCommand, type OpenSession, withSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { fileSpan, gap, line } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import {
  addHiddenMatches,
  type HiddenMatches,
  type Search,
  type SearchQuery,
  startGrep,
  toHiddenQuery,
} from './search.js';

/** A search of many sessions. */
export interface FolderSearch {
  readonly files: readonly NamedFile[];
  /** Patch ops that break a rule are skipped. */
  readonly isLenient: boolean;
  readonly query: SearchQuery;
  readonly pattern: SearchPattern;
  /** Builds what is printed for one session. */
  listResults(search: Search): Iterable<Printable>;
  readonly problems: Problem[];
  /** The matches so far that the search of the context does not reach; null if they are not counted. */
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
  for await (const candidates of findCandidates(io, folder, () => progress.step())) {
    for (const { file } of candidates) {
      if (folder.found >= folder.query.most) return;
      const results = await searchFile(io, folder, file);
      if (results.length === 0) continue;
      await progress.clear();
      yield results;
      progress.again();
    }
  }
}

/** The files that may match, in order and in batches. An unreadable file may: searching it gives the reason. */
async function* findCandidates(
  io: Io,
  { files, pattern: { literal } }: FolderSearch,
  onDone: () => void,
): AsyncGenerator<readonly NamedFile[]> {
  if (literal === null) {
    for (const file of files) {
      onDone();
      yield [file];
    }
    return;
  }
  const batches = runJobs(io, {
    job: 'mayHold',
    inputs: files.map(({ file }) => ({ file, literal })),
    sizes: files.map(({ size }) => size),
    isRemembered: true,
    isLight: true,
    onDone,
  });
  let start = 0;
  for await (const results of batches) {
    const searched = files.slice(start, start + results.length);
    start += results.length;
    yield searched.filter((_, at) => {
      const result = results[at];
      return !result?.ok || result.output;
    });
  }
}

async function searchFile(io: Io, folder: FolderSearch, file: string): Promise<readonly Printable[]> {
  try {
    return await withSession(openForCommand(io, file), (session) => {
      return searchSession(folder.isLenient ? toLenient(session) : session, folder);
    });
  } catch (error) {
    if (!(error instanceof CtxError) || error.kind !== 'input') throw error;
    folder.problems.push(buildWarning('unreadable-session', `${file}: ${error.message}`));
    return [];
  }
}

/** Searches for as many matches as are left. The reports read entries, so they are made while the session is open. */
function searchSession(session: OpenSession, folder: FolderSearch): readonly Printable[] {
  const { file } = session;
  const { query, pattern, hidden } = folder;
  const search = startGrep(session, { ...query, most: query.most - folder.found }, pattern);
  const results = [...folder.listResults(search)].map((item) => addFile(item, file));
  const isFirst = folder.found === 0;
  folder.found += search.found;
  if (hidden) addHiddenMatches(hidden, startGrep(session, toHiddenQuery(query), pattern));
  if (search.found === 0) return [];
  folder.sessions += 1;
  return addTitle(results, file, isFirst);
}

function addTitle([first, ...others]: readonly Printable[], file: string, isFirst: boolean): readonly Printable[] {
  const title = [...(isFirst ? [] : [gap]), line(fileSpan(file, file, 'strong'))];
  return first ? [{ ...first, doc: (view) => [...title, ...first.doc(view)] }, ...others] : [];
}

/** Adds the file to the JSON of a match. */
function addFile({ data, doc }: Printable, file: string): Printable {
  if (data === null) return { data, doc };
  const { schema, schemaVersion, ...rest } = data as Readonly<Record<string, unknown>>;
  return { data: { schema, schemaVersion, file, ...rest }, doc };
}
