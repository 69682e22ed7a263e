import type { SearchPattern } from '#analysis/search/search-pattern.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { findNamedFiles, mayMeanMany } from '#cli/sessions/named-files.js';
import { runJobs } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { openForCommand, type OpenSession, withSession } from '#context/open.js';
import { toLenient } from '#context/replayable.js';
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
  /** Whether patch ops that break a rule are skipped. */
  readonly isLenient: boolean;
  readonly query: SearchQuery;
  readonly pattern: SearchPattern;
  /** Builds what is printed for one session. */
  listResults(search: Search): Iterable<Printable>;
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
  for await (const mayMatch of findCandidates(io, folder, () => progress.step())) {
    const some = files.slice(place, (place += mayMatch.length));
    for (const { file } of some.filter((_, at) => mayMatch[at])) {
      if (folder.found >= folder.query.most) return;
      const results = await searchFile(io, folder, file);
      if (results.length === 0) continue;
      await progress.clear();
      yield results;
      progress.again();
    }
  }
}

/** Whether each file may match, in order. An unreadable file may: searching it gives the reason. */
async function* findCandidates(
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

async function searchFile(io: Io, folder: FolderSearch, file: string): Promise<readonly Printable[]> {
  try {
    return await withSession(openForCommand(io, file), (session) =>
      searchSession(folder.isLenient ? toLenient(session) : session, folder),
    );
  } catch (error) {
    if (!(error instanceof CtxError) || error.kind !== 'input') throw error;
    folder.problems.push(buildWarning('unreadable-session', `${file}: ${error.message}`));
    return [];
  }
}

/** Searches for as many matches as are left. The reports read entries, so they are made while the session is open. */
function searchSession(session: OpenSession, folder: FolderSearch): readonly Printable[] {
  const { file } = session;
  const search = startGrep(session, { ...folder.query, most: folder.query.most - folder.found }, folder.pattern);
  const results = [...folder.listResults(search)].map((item) => addFile(item, file));
  const isFirst = folder.found === 0;
  folder.found += search.found;
  folder.sessions += search.found > 0 ? 1 : 0;
  if (folder.hidden) addHiddenMatches(folder.hidden, startGrep(session, toHiddenQuery(folder.query), folder.pattern));
  return search.found === 0 ? [] : addTitle(results, file, isFirst);
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
