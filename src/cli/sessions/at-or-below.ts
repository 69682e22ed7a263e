import path from 'node:path';

/** Tells the working directories that are a folder or below it. Sessions may come from another kind of machine. */
export function atOrBelow(here: string, folder: string): (cwd: string | null) => boolean {
  const { isAbsolute, relative, resolve, sep } = /^(?:[a-z]:[/\\]|\\\\)/i.test(folder) ? path.win32 : path;
  const root = resolve(here, folder);
  return (cwd) => {
    if (cwd === null) return false;
    const way = relative(root, cwd);
    return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
  };
}
