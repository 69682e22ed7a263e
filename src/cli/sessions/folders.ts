import path from 'node:path';
import { choosePathRules } from '#base/paths.js';
import type { Io } from '#platform/io.js';

/** Tests whether a working directory is a folder or below it. Sessions may come from another kind of machine. */
export function createFolderTest(here: string, folder: string): (cwd: string | null) => boolean {
  const { isAbsolute, relative, resolve, sep } = choosePathRules(path.win32.isAbsolute(folder) ? folder : here);
  const root = resolve(here, folder);
  return (cwd) => {
    if (cwd === null) return false;
    const way = relative(root, cwd);
    return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
  };
}

/** A working directory with `~` for the home folder; empty if it is not known. */
export function formatFolder({ home }: Io, cwd: string | null): string {
  return cwd === null ? '' : shortenHome(cwd, home);
}

/** A path with `~` for the home folder. */
export function shortenHome(file: string, home: string): string {
  const isInside = home !== '' && (file === home || file.startsWith(`${home}/`));
  return isInside ? `~${file.slice(home.length)}` : file;
}

/** Tests whether a path is in a folder, or in one below it. */
export function isBelow(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way !== '' && way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
