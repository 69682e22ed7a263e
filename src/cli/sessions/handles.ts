import path from 'node:path';
import { toShellWord } from '#base/shell.js';
import type { Io } from '#platform/io.js';
import { findSessionsFolder } from '#session/agents/pi-folders.js';
import { listPiSessionFiles } from './pi-files.js';

/** The name of a session for other commands: a short id where it has one, else a path. */
export type FindHandle = (file: string) => string;

/** The names of sessions for other commands, with the ids of those in the folders of other agents. */
export async function createHandles(io: Io, { isOfPi = false } = {}): Promise<FindHandle> {
  const findPiHandle = createPiHandles(io);
  if (isOfPi) return findPiHandle;
  const ids = (await import('./agent-ids.js')).listAgentHandles(io);
  return (file) => ids.get(file) ?? findPiHandle(file);
}

/**
 * The names of session files on a command line, quoted for a shell: the shortest unique prefix of the id if the id can
 * be looked up, else a path relative to the current directory.
 */
export function createPiHandles(io: Io): (file: string) => string {
  const here = io.cwd || '/';
  const folder = findSessionsFolder(io);
  const sessions = folder === null ? null : path.resolve(here, folder);
  let prefixes: ReadonlyMap<string, string> | null = null;
  return (file) => {
    const place = path.resolve(here, file);
    if (sessions === null || findPathBelow(sessions, place) === null) return toShellWord(formatPath(io.cwd, place));
    prefixes ??= findPrefixes(io, here);
    return prefixes.get(place) ?? toShellWord(formatPath(io.cwd, place));
  };
}

/** An absolute path of a session in a sentence. */
const PATH_IN_TEXT = /(?<![^\s(])\/\S*?\.jsonl?(?:\.\w+)?(?=[\s,;:)]|$)/g;

/** A sentence in which sessions are named by their ids, where they have one, and not by their paths. */
export async function nameSessionsById(text: string, io: Io): Promise<string> {
  if (text.match(PATH_IN_TEXT) === null) return text;
  const findHandle = await createHandles(io);
  return text.replaceAll(PATH_IN_TEXT, (file) => {
    const handle = findHandle(file);
    return handle.includes('/') ? file : handle;
  });
}

const SHORTEST_PREFIX = 8;
/** A name that is no flag and no path, and needs no quotes in a shell. */
const TYPED_AS_IT_IS = /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N}_.-]*$/u;

/** The shortest unique id prefix of each file. A file whose id is not unique has none. */
function findPrefixes(io: Io, here: string): ReadonlyMap<string, string> {
  const all = [...listPiSessionFiles(io)].toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  const prefixes = new Map<string, string>();
  for (const [at, { file, id }] of all.entries()) {
    const before = all[at - 1]?.id;
    const after = all[at + 1]?.id;
    if (id === before || id === after) continue;
    const shared = Math.max(commonPrefixLength(id, before), commonPrefixLength(id, after));
    const prefix = id.slice(0, Math.max(SHORTEST_PREFIX, shared + 1));
    const isName = TYPED_AS_IT_IS.test(prefix) && prefix !== 'latest' && !prefix.endsWith('.jsonl');
    if (isName) prefixes.set(path.resolve(here, file), prefix);
  }
  return prefixes;
}

/** The length of the beginning that two ids share. */
export function commonPrefixLength(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}

function formatPath(cwd: string, place: string): string {
  const way = cwd === '' ? null : findPathBelow(cwd, place);
  if (way === null) return place;
  return way.startsWith('-') ? `./${way}` : way;
}

/** The relative path from a folder to a place below it; null for other places. */
function findPathBelow(folder: string, place: string): string | null {
  const way = path.relative(folder, place);
  const isOutside = way === '' || way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
  return isOutside ? null : way;
}
