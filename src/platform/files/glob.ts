import path from 'node:path';
import { glob } from 'tinyglobby';

/** The files that a pattern matches, as paths from `cwd`, or absolute ones for an absolute pattern. */
export async function filesMatching(pattern: string, cwd: string): Promise<readonly string[]> {
  return glob(pattern, { cwd, absolute: path.isAbsolute(pattern), expandDirectories: false });
}
