import path from 'node:path';
import { CtxError } from './errors.js';
import { type Io, noHome, sessionsFolder } from './io.js';

/** Where somebody looks for a session from. */
export type Place = Pick<Io, 'env' | 'home' | 'cwd' | 'files'>;

const MOST_CANDIDATES = 5;

/** A file in Pi's session folder, with the session id that its name ends in. */
interface SessionFile {
  readonly file: string;
  readonly id: string;
}

/**
 * The file that a user means: a path, `-`, `latest`, or a session id or a unique prefix of it. Ids and `latest`
 * are looked up in Pi's session folder. Throws a CtxError (input) that lists the candidates.
 */
export function locateSession(io: Place, name: string): string {
  if (name === '-' || io.files.exists(name)) return name;
  if (name !== 'latest' && /[/\\]|\.jsonl$/.test(name)) return name;
  const where = sessionsFolder(io);
  if (where === null) throw noHome();
  if (name === 'latest') return latest(io, where);
  const all = name === '' ? [] : [...sessionFiles(io)];
  const found = all.filter(({ id }) => id === name);
  const candidates = found.length > 0 ? found : all.filter(({ id }) => id.startsWith(name));
  const [candidate, ...others] = candidates;
  if (candidate && others.length === 0) return candidate.file;
  if (!candidate)
    throw new CtxError('input', `no file and no session id "${name}"`, {
      where,
      hint: 'name a file, an id, "latest", or - for standard input',
    });
  const ids = candidates.slice(0, MOST_CANDIDATES).map(({ id }) => id);
  throw new CtxError('input', `session id "${name}" is ambiguous`, {
    where,
    hint: `name one of ${candidates.length}: ${ids.join(', ')}`,
  });
}

/** The session that was written last, in the current directory's folder if there is one. */
function latest(io: Place, where: string): string {
  const here = folderOf(io.cwd);
  const all = [...sessionFiles(io)];
  const local = all.filter(({ file }) => path.basename(path.dirname(file)) === here);
  const newest = (local.length > 0 ? local : all)
    .map(({ file }) => ({ file, modified: io.files.modified(file) }))
    .filter(({ modified }) => modified > 0)
    .reduce<{ file: string; modified: number } | null>(
      (best, next) => (best === null || next.modified > best.modified ? next : best),
      null,
    );
  if (newest) return newest.file;
  throw new CtxError('input', 'Pi has no sessions yet', {
    where,
    hint: 'name a session file, or set PI_CODING_AGENT_DIR',
  });
}

/** The files whose sessions can be named by their ids; none where nobody knows where they are. */
export function* sessionFiles(io: Place): Generator<SessionFile> {
  const root = sessionsFolder(io);
  if (root === null) return;
  for (const folder of io.files.list(root)) {
    for (const name of io.files.list(path.join(root, folder))) {
      const [, id] = /^[^_]*_(.+)\.jsonl$/.exec(name) ?? [];
      if (id !== undefined) yield { file: path.join(root, folder, name), id };
    }
  }
}

/** The name that Pi gives the folder of a working directory. */
function folderOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}
