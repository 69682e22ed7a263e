import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { isInPeriod, type Period } from '#base/time.js';
import type { Io } from '#platform/io.js';
import { locateSession } from '../locate.js';
import { readLastEntryTime } from './last-entry.js';
import { isLimitedPeriod } from './period.js';
import { findSessionFiles, type NamedFile } from './session-files.js';

/**
 * The files that a command line names: paths, folders with their subfolders, patterns, session ids, `latest`, `all`,
 * `all:AGENT` and `-`, in this order and each file once; a name after a `!` excludes files. `period`: only sessions whose
 * last entry is in it. Throws a CtxError (input) for a name without a file.
 */
export async function findNamedFiles(
  io: Io,
  names: readonly string[],
  period: Period = {},
): Promise<readonly NamedFile[]> {
  const byPlace = new Map<string, NamedFile>();
  const isLeftOut = (name: string): boolean => name.startsWith('!') && !io.files.exists(name);
  for (const name of names.filter((one) => !isLeftOut(one))) {
    for (const found of await findFiles(io, name)) {
      const place = toKey(io, found);
      if (!byPlace.has(place)) byPlace.set(place, found);
    }
  }
  for (const name of names.filter(isLeftOut)) {
    for (const found of await findExcluded(io, name.slice(1))) byPlace.delete(toKey(io, found));
  }
  const isWithin = ({ file }: NamedFile): boolean =>
    !isLimitedPeriod(period) || file === '-' || isInPeriod(readLastEntryTime(io.files, { file }), period);
  const files = [...byPlace.values()].filter(isWithin);
  if (files.length > 0 || names.length === 0) return files;
  const where = names.join(' ');
  if (byPlace.size === 0)
    throw new CtxError('input', 'no file is left', { where, hint: 'name files beside those to leave out' });
  throw buildNoneNamedError(where);
}

export function buildNoneNamedError(where: string): CtxError {
  const hint =
    where === 'latest'
      ? 'add all to choose from all sessions, not only the latest one'
      : 'choose other times for --since and --until: they are compared with the last entry of each session';
  return new CtxError('input', 'no session was written in that time', { where, hint });
}

function toKey({ cwd }: Io, { file }: NamedFile): string {
  return file === '-' ? file : path.resolve(cwd || '/', file);
}

/** There may be nothing of the kind today. */
async function findExcluded(io: Io, name: string): Promise<readonly NamedFile[]> {
  try {
    return await findFiles(io, name);
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return [];
    throw error;
  }
}

/** A pattern of names, or the sessions of all agents or of one. */
const OF_MANY = /[*?[{]|^all(?::|$)/;

/** Tests whether a name that is no file may mean several. */
export function mayMeanMany({ files }: Io, name: string): boolean {
  return files.exists(name) ? files.walk(name).isFolder : OF_MANY.test(name);
}

async function findFiles(io: Io, name: string): Promise<readonly NamedFile[]> {
  if (OF_MANY.test(name) && !io.files.exists(name)) {
    const { all, agent } = /^(?<all>all)(?::(?<agent>.*))?$/.exec(name)?.groups ?? {};
    return all === undefined
      ? matchPattern(io, name)
      : (await import('./agent-sessions.js')).findAllSessions(io, agent);
  }
  const file = await locateSession(io, name);
  if (file === '-') return [{ file, size: 0 }];
  const { files, unreadable, isFolder } = await findSessionFiles(io, file);
  const found = [...files, ...unreadable.map((folder) => ({ file: folder, size: 0 }))];
  if (found.length > 0) return found.toSorted((a, b) => (a.file < b.file ? -1 : 1));
  // Opening it reports the error if it is neither a file nor a folder.
  if (!isFolder) return [{ file, size: 0 }];
  throw new CtxError('input', 'no session file in this folder', { where: file, hint: 'name another one, or a file' });
}

async function matchPattern(io: Io, pattern: string): Promise<readonly NamedFile[]> {
  const names = await io.files.glob(pattern, io.cwd || '/');
  const walks = await Promise.all(names.toSorted().map((name) => findSessionFiles(io, name)));
  if (names.length > 0) return walks.flatMap(({ files }) => files);
  throw new CtxError('input', 'no file matches this pattern', {
    where: pattern,
    hint: 'quote it, and write ** for any folders: "sessions/**/*.jsonl"',
  });
}
