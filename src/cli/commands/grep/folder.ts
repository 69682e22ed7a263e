import { Buffer } from 'node:buffer';
import type { SearchPattern } from '#analysis/search/text-matches.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { type NamedFile, namedFiles } from '#cli/sessions/named-files.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openHere } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';
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

/** Searches sessions one after the other. Each with matches is named above them. */
export async function* folderReports(io: Io, folder: FolderSearch): AsyncGenerator<readonly Report[]> {
  const { files, pattern } = folder;
  const progress = startProgress(io, files.length, 'sessions');
  try {
    for (const { file } of files) {
      const most = folder.wish.most - folder.found;
      const reports = most > 0 ? await sessionReports(io, folder, { file, most, literal: pattern.literal }) : [];
      progress.step();
      if (reports.length === 0) continue;
      await progress.clear();
      yield reports;
      progress.again();
    }
  } finally {
    await progress.clear();
  }
}

interface InFolder {
  readonly file: string;
  readonly most: number;
  readonly literal: string | null;
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

async function searched(io: Io, folder: FolderSearch, { file, most, literal }: InFolder): Promise<readonly Report[]> {
  const source = await io.files.open(file);
  const mayMatch = literal === null || mayHold(source, literal);
  source.close();
  if (!mayMatch) return [];
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

/** Up to this size, a source reads without new memory. */
const CHUNK_BYTES = 1 << 17;

/** Whether a session may hold a text of printable ASCII characters: as it is, or with escapes. */
function mayHold(source: ByteSource, literal: string): boolean {
  const overlap = Math.max(literal.length, ESCAPE.length + 1);
  for (let at = 0; at < source.size; at += CHUNK_BYTES) {
    const { buffer, byteOffset, byteLength } = source.read(at, Math.min(at + CHUNK_BYTES + overlap, source.size));
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (bytes.includes(literal, 0, 'latin1') || hasEscapedCharacter(bytes)) return true;
  }
  return false;
}

const ESCAPE = String.raw`\u00`;
const [FIRST_PRINTABLE, LAST_PRINTABLE] = [0x32, 0x37];

/** Whether there is an escape of a printable ASCII character, such as \u0061; Pi writes none. */
function hasEscapedCharacter(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ESCAPE, 0, 'latin1'); at !== -1; at = bytes.indexOf(ESCAPE, at + 1, 'latin1')) {
    const digit = bytes[at + ESCAPE.length] ?? 0;
    if (digit >= FIRST_PRINTABLE && digit <= LAST_PRINTABLE) return true;
  }
  return false;
}
