import type { SearchPattern } from '#analysis/search/text-matches.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { type NamedFile, namedFiles } from '#cli/sessions/named-files.js';
import { resultsOf } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openHere } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { Report } from '#ui/doc/define.js';
import { gap, line, span } from '#ui/doc/doc.js';
import { type Search, type SearchWish, startSearch } from './search.js';

/** A search of many sessions. */
export interface FolderSearch {
  readonly files: readonly NamedFile[];
  readonly wish: SearchWish;
  readonly pattern: SearchPattern;
  /** The reports of one session. */
  reportsOf(search: Search): Iterable<Report>;
  readonly problems: Problem[];
  /** Matches so far. */
  found: number;
}

/** The sessions that a name means if it is a folder or a pattern; null if it is one session. */
export async function filesIn(io: Io, name: string): Promise<readonly NamedFile[] | null> {
  const isOne = name === '-' || name === 'latest' || (io.files.exists(name) && !io.files.walk(name).isFolder);
  return isOne || (!io.files.exists(name) && !/[*?[{]/.test(name)) ? null : namedFiles(io, [name]);
}

/** Below this size, starting threads takes longer than they save. */
const BIG_BYTES = 100e6;

/** Searches sessions in order, after finding those that may match. Each with matches is named above them. */
export async function* folderReports(io: Io, folder: FolderSearch): AsyncGenerator<readonly Report[]> {
  const { files } = folder;
  const progress = startProgress(io, files.length, 'sessions');
  let place = 0;
  try {
    for await (const mayMatch of candidates(io, folder, () => progress.step())) {
      const some = files.slice(place, (place += mayMatch.length));
      for (const { file } of some.filter((_, at) => mayMatch[at])) {
        const most = folder.wish.most - folder.found;
        if (most <= 0) return;
        const reports = await sessionReports(io, folder, { file, most });
        if (reports.length === 0) continue;
        await progress.clear();
        yield reports;
        progress.again();
      }
    }
  } finally {
    await progress.clear();
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
  const isBig = files.length > 1 && files.reduce((sum, { size }) => sum + size, 0) >= BIG_BYTES;
  for await (const results of resultsOf(io, { job: 'mayHold', inputs, isBig, isRemembered: true, onDone }))
    yield results.map((result) => !result.ok || result.output);
}

interface InFolder {
  readonly file: string;
  readonly most: number;
}

async function sessionReports(io: Io, folder: FolderSearch, of: InFolder): Promise<readonly Report[]> {
  try {
    return await searched(io, folder, of);
  } catch (error) {
    if (!(error instanceof CtxError) || error.kind !== 'input') throw error;
    folder.problems.push(warning('unreadable-session', `${of.file}: ${error.message}`));
    return [];
  }
}

async function searched(io: Io, folder: FolderSearch, { file, most }: InFolder): Promise<readonly Report[]> {
  const session = await openHere(io, file);
  try {
    const search = startSearch(session, { ...folder.wish, most }, folder.pattern);
    // The reports read entries, so they are made while the session is open.
    const reports = [...folder.reportsOf(search)].map((report) => inFile(report, file));
    const isFirst = folder.found === 0;
    folder.found += search.found;
    return search.found === 0 ? [] : titled(reports, file, isFirst);
  } finally {
    session.close();
  }
}

function titled([first, ...others]: readonly Report[], file: string, isFirst: boolean): readonly Report[] {
  const title = [...(isFirst ? [] : [gap]), line(span(file, 'strong'))];
  return first ? [{ ...first, doc: (view) => [...title, ...first.doc(view)] }, ...others] : [];
}

/** Adds the file to the JSON of a match. */
function inFile({ data, doc }: Report, file: string): Report {
  if (data === null) return { data, doc };
  const { schema, schemaVersion, ...rest } = data as Readonly<Record<string, unknown>>;
  return { data: { schema, schemaVersion, file, ...rest }, doc };
}
