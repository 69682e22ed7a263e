import { realpathSync } from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import type { Files } from './files.js';

/**
 * Files that are read in some folders only, and never written. A symbolic link counts as the file that it leads to.
 * A file elsewhere does not exist, except for `open` and `walk`, which throw a CtxError (refused).
 */
export function limitFiles(files: Files, cwd: string, folders: readonly string[]): Files {
  const resolveFolders = (): ReadonlySet<string> => new Set(folders.map((folder) => resolveRealPath(cwd, folder)));
  let allowed = resolveFolders();
  const isAllowed = (real: string): boolean => {
    if (isBelow(real, allowed)) return true;
    // A folder may be a symbolic link by now. To resolve all of them for each file takes most of a call.
    allowed = resolveFolders();
    return isBelow(real, allowed);
  };
  const isIn = (file: string): boolean => isAllowed(resolveRealPath(cwd, file));
  const assertIn = (file: string): void => {
    if (!isIn(file)) throw buildElsewhereError(file);
  };
  return {
    async open(file) {
      assertIn(file);
      return files.open(file);
    },
    // Most files that are asked for do not exist, and links take longer to follow.
    exists: (file) => files.exists(file) && isIn(file),
    isPipe: (file) => isIn(file) && files.isPipe(file),
    list: (folder) => (isIn(folder) ? files.list(folder).filter((name) => isIn(path.join(folder, name))) : []),
    modified: (file) => (isIn(file) ? files.modified(file) : 0),
    state: (file, now) => (isIn(file) ? files.state(file, now) : null),
    beginning: (file, most) => (isIn(file) ? files.beginning(file, most) : new Uint8Array()),
    ending: (file, most) => (isIn(file) ? files.ending(file, most) : new Uint8Array()),
    walk(folder, options) {
      assertIn(folder);
      const mayEnter = (file: string): boolean =>
        (options?.mayEnter?.(file) ?? true) && isBelow(resolveRealPath(cwd, file), allowed);
      return files.walk(folder, { ...options, mayEnter });
    },
    glob: async (pattern, folder) => (await files.glob(pattern, folder)).filter(isIn),
    processesWith: () => Promise.resolve([]),
    createNew: (file) => Promise.reject(readOnlyError(file)),
    openToAppend: (file) => Promise.reject(readOnlyError(file)),
    createTemporary: (name) => Promise.reject(readOnlyError(name)),
    isWithin: (file, folder) => files.isWithin(file, folder),
    makeFolder: (folder) => Promise.reject(readOnlyError(folder)),
  };
}

/** Whether a path is in a folder, also when the symbolic links in both are followed. */
export function isWithin(file: string, folder: string): boolean {
  const cwd = process.cwd();
  return isBelow(resolveRealPath(cwd, file), new Set([resolveRealPath(cwd, folder)]));
}

/** The path without symbolic links, as far as it exists. The native function needs a third of the time. */
function resolveRealPath(cwd: string, file: string): string {
  const whole = path.resolve(cwd, file);
  for (let at = whole; ; at = path.dirname(at)) {
    try {
      return path.join(realpathSync.native(at), path.relative(at, whole));
    } catch {
      if (at === path.dirname(at)) return whole;
    }
  }
}

/** Whether a file is one of some folders, or in one of them. Takes as long for many folders as for one. */
function isBelow(file: string, folders: ReadonlySet<string>): boolean {
  for (let at = file; ; at = path.dirname(at)) {
    if (folders.has(at)) return true;
    if (at === path.dirname(at)) return false;
  }
}

function buildElsewhereError(file: string): CtxError {
  return new CtxError('refused', 'the path is outside the folders that may be read', {
    where: file,
    hint: 'name a session that find lists, or restart ctx mcp with --root DIR',
  });
}

function readOnlyError(file: string): CtxError {
  return new CtxError('refused', 'nothing may be written here', { where: file });
}
