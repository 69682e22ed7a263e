import { baseName, choosePathRules } from '#base/paths.js';

/** The names under which a text may mention a file. */
export type FileNames = (path: string) => readonly string[];

const HOME = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|[A-Za-z]:\\Users\\[^\\]+)(?=[/\\])/;

/** The files of a session, from the paths in its calls. */
export class KnownFiles {
  private readonly paths = new Set<string>();
  private readonly absolutes = new Map<string, Set<string>>();

  constructor(private readonly cwd: string | null) {}

  add(path: string): void {
    if (this.paths.has(path)) return;
    this.paths.add(path);
    const absolute = toAbsolute(path, this.cwd);
    const base = baseName(absolute);
    const all = this.absolutes.get(base) ?? new Set();
    this.absolutes.set(base, all.add(absolute));
  }

  has(path: string): boolean {
    return this.paths.has(path);
  }

  /**
   * The names of a file: the path itself, the absolute one, the one from the session's folder, the one from the user's
   * home (`~`), and the base name if no other file has it. Paths of Windows are also written with slashes.
   */
  namesOf(path: string): readonly string[] {
    const absolute = toAbsolute(path, this.cwd);
    const base = baseName(absolute);
    const isUnique = (this.absolutes.get(base)?.size ?? 0) <= 1;
    const below = listBelow(absolute, this.cwd);
    const names = [path, absolute, ...below, absolute.replace(HOME, '~')];
    if (isUnique) names.push(base);
    const isOfWindows = choosePathRules(absolute).sep === '\\';
    return [...new Set(isOfWindows ? names.flatMap((name) => [name, name.replaceAll('\\', '/')]) : names)];
  }
}

function listBelow(absolute: string, cwd: string | null): readonly string[] {
  if (cwd === null || cwd === '') return [];
  const folder = cwd + choosePathRules(cwd).sep;
  return absolute.startsWith(folder) ? [absolute.slice(folder.length)] : [];
}

function toAbsolute(path: string, cwd: string | null): string {
  if (cwd === null) return path;
  const { isAbsolute, join, sep } = choosePathRules(cwd);
  const home = HOME.exec(cwd + sep)?.[0];
  if (home && /^~[/\\]/.test(path)) return join(home, path.slice(1));
  if (!isAbsolute(cwd) || isAbsolute(path) || path.startsWith('~')) return path;
  // The dot drops a slash at the end.
  return join(cwd, path, '.');
}
