import path from 'node:path';

/** The rules of paths on the machine that an absolute path is from: a session may come from another kind of machine. */
export function choosePathRules(absolute: string): path.PlatformPath {
  return /^(?:[a-z]:[/\\]|\\\\)/i.test(absolute) ? path.win32 : path.posix;
}

/** The name of a file without its folders, whichever machine its path is from. */
export function baseName(file: string): string {
  return path.win32.basename(file);
}
