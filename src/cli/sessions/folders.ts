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

/**
 * A path as people read it: relative to the working directory if it is below it, else with `~` for the home folder. A
 * shell reads both. In the home folder, or above it, `~` tells more.
 */
export function shortenPath(file: string, { cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  const isHere = file.startsWith(`${cwd}/`) && !`${home}/`.startsWith(`${cwd}/`);
  return isHere ? file.slice(cwd.length + 1) : shortenHome(file, home);
}

/**
 * A sentence whose paths are as `shortenPath` prints them. One in quotes stays whole, since a shell reads no `~` there.
 */
export function shortenPaths(text: string, { cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  const isHereShort = cwd !== '' && cwd !== '/' && !`${home}/`.startsWith(`${cwd}/`);
  const fromHere = isHereShort ? replaceFolder(text, cwd, '') : text;
  return home === '' || home === '/' ? fromHere : replaceFolder(fromHere, home, '~/');
}

/** Replaces a folder at the beginning of paths. */
function replaceFolder(text: string, folder: string, by: string): string {
  return text
    .split(`${folder}/`)
    .reduce((before, after) => `${before}${/(?:^|[\s(:,])$/.test(before) ? by : `${folder}/`}${after}`);
}

/** Tests whether a path is in a folder, or in one below it. */
export function isBelow(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way !== '' && way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
