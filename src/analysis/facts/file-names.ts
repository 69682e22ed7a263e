/** The names under which a text may mention a file. */
export type FileNames = (path: string) => readonly string[];

const HOME = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/)/;

/**
 * The names of the files of a session, from the paths in its calls: the path itself, the absolute one, the one from the
 * session's folder, the one from the user's home (`~`), and the base name if no other file has it.
 */
export function fileNames(paths: Iterable<string>, cwd: string | null): FileNames {
  const known = new Map<string, Set<string>>();
  for (const path of paths) {
    const absolute = absoluteOf(path, cwd);
    const base = baseName(absolute);
    const all = known.get(base) ?? new Set();
    known.set(base, all.add(absolute));
  }
  return (path) => {
    const absolute = absoluteOf(path, cwd);
    const base = baseName(absolute);
    const isUnique = (known.get(base)?.size ?? 0) <= 1;
    return [
      ...new Set([path, absolute, ...belowOf(absolute, cwd), absolute.replace(HOME, '~'), ...(isUnique ? [base] : [])]),
    ];
  };
}

function belowOf(absolute: string, cwd: string | null): readonly string[] {
  return cwd && absolute.startsWith(`${cwd}/`) ? [absolute.slice(cwd.length + 1)] : [];
}

function absoluteOf(path: string, cwd: string | null): string {
  const home = HOME.exec(`${cwd ?? ''}/`)?.[0];
  const expanded = home && path.startsWith('~/') ? home + path.slice(1) : path;
  if (!cwd?.startsWith('/') || expanded.startsWith('/') || expanded.startsWith('~')) return expanded;
  const parts: string[] = [];
  for (const part of `${cwd}/${expanded}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
