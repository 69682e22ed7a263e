import path from 'node:path';
import { isObject, listObjects, parseJson } from '#base/json.js';
import type { ArchivedCopy, ArchiveReader, ArchiveWriter } from '#platform/files/archive-folder.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { toContentName } from '#session/scan/compression.js';
import type { Change } from './document.js';
import type { SourceFile } from './sources.js';

/** The result of archiving a file. */
export interface ArchiveResult {
  readonly change: Change;
  /** The size of its content, in bytes. */
  readonly size: number;
  /** The copy that was written; null if none was. */
  readonly copy: ArchivedCopy | null;
  /** The name of the earlier copy that was kept; null if none was. */
  readonly kept: string | null;
}

/**
 * Archives a file as it is now, if its copy is not of the same state. A copy with something that the file does not have
 * stays, under another name. `writer` is null if nothing may be written.
 */
export async function archiveFile(
  { files }: Pick<Io, 'files'>,
  { file, name }: SourceFile,
  { reader, writer }: { readonly reader: ArchiveReader; readonly writer: ArchiveWriter | null },
): Promise<ArchiveResult> {
  // Read before the content: if the file grows in between, the next run finds it changed.
  const [found] = files.walk(file).files;
  const modified = found?.modified ?? 0;
  const copy = reader.find(name);
  if (copy && found && copy.modified === toStoredTime(modified) && hasSize(copy, found))
    return { change: 'unchanged', size: copy.size, copy: null, kept: null };
  const opened = await files.open(file);
  const source = opened.own ?? opened;
  try {
    const { change, kept } = copy ? await findChange(files, { name, copy, source, reader }) : NEW;
    const isAsBefore = change === 'unchanged' && copy !== null && Math.abs(copy.modified - modified) < COARSE_TIME;
    const written =
      isAsBefore || !writer
        ? null
        : await writer.write(name, source, { modified: toStoredTime(modified), replaced: copy, keptAs: kept });
    return { change, size: source.size, copy: written, kept };
  } finally {
    source.close();
  }
}

const NEW = { change: 'new', kept: null } as const;

/** Milliseconds: some file systems store times in steps of two seconds. */
const COARSE_TIME = 2500;

/** Times are stored in whole milliseconds, which every number can hold. */
function toStoredTime(modified: number): number {
  return Math.floor(modified);
}

/** Whether a copy has the size of a file; that of a compressed one is not known. */
function hasSize(copy: ArchivedCopy, { file, size }: { readonly file: string; readonly size: number }): boolean {
  return toContentName(file) !== file || copy.size === size;
}

interface ComparedCopy {
  readonly name: string;
  readonly copy: ArchivedCopy;
  readonly source: ByteSource;
  readonly reader: ArchiveReader;
}

async function findChange(
  files: Io['files'],
  { name, copy, source, reader }: ComparedCopy,
): Promise<Pick<ArchiveResult, 'change' | 'kept'>> {
  const { relation, digest } = await reader.compare(copy, source);
  if (relation === 'same') return { change: 'unchanged', kept: null };
  if (relation === 'beginning' || (await holdsAllMessages(files, { name, copy, source })))
    return { change: 'grown', kept: null };
  return { change: 'rewritten', kept: nameKept(copy.file, name, digest) };
}

/** A name beside a copy with the digest of what is in it, so that one state has one name. */
function nameKept(file: string, name: string, digest: string): string {
  const compressed = file.endsWith(name) ? '' : file.slice(file.lastIndexOf('.'));
  const { dir, name: stem, ext } = path.parse(name);
  return path.join(dir, `${stem}.older-${digest.slice(0, DIGITS)}${ext}${compressed}`);
}

/** The digits of the digest in the name of a copy: enough to tell the states of one file apart. */
const DIGITS = 12;

/** Whether a document, which its agent writes as a whole each time, has all messages of its copy. */
async function holdsAllMessages(
  files: Io['files'],
  { name, copy, source }: Omit<ComparedCopy, 'reader'>,
): Promise<boolean> {
  if (!name.endsWith('.json') || Math.max(copy.size, source.size) > LARGEST_DOCUMENT) return false;
  const earlier = await files.open(copy.file).catch(() => null);
  if (earlier === null) return false;
  try {
    const messages = readMessages(source);
    const before = readMessages(earlier);
    return before !== null && messages !== null && [...before].every((message) => messages.has(message));
  } finally {
    earlier.close();
  }
}

/** Bytes: a larger document is not parsed. */
const LARGEST_DOCUMENT = 1 << 26;

/** The messages of a document, each as JSON; null if there is no list of them. */
function readMessages(source: ByteSource): ReadonlySet<string> | null {
  const document = parseJson(new TextDecoder().decode(source.read(0, source.size)));
  if (!isObject(document) || !Array.isArray(document.messages)) return null;
  return new Set(listObjects(document.messages).map((message) => JSON.stringify(message)));
}
