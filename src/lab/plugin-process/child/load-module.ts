import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Jiti from 'jiti';
import { NO_INDEX, NO_SUCH_FILE } from '../failure.js';

// Required: to import CommonJS, Node would first search all of it for its exports, a tenth of the time to the first
// call.
const { createJiti } = createRequire(import.meta.url)('jiti') as typeof Jiti;

/** The built-in engines, which are next to this program's folder. */
const OURS_ON_DISK = { 'pi-ctx/engines': fileURLToPath(new URL('../engines.js', import.meta.url)) };

/**
 * The modules that a module of the user may import wherever it is; `isInstalled`: its own folder has such a package.
 */
export type ListPackages = (isInstalled: (name: string) => boolean) => Readonly<Record<string, unknown>>;

/** Loads the default export of a module, in TypeScript or JavaScript. Throws the errors of the module. */
export async function loadModule(file: string, packages: ListPackages): Promise<unknown> {
  const full = path.resolve(file);
  const { resolve } = createRequire(full);
  // Compiled code is not cached: reading sessions writes no files.
  const virtualModules = packages((name) => isThere(resolve, name));
  const jiti = createJiti(full, { fsCache: false, moduleCache: false, virtualModules, alias: OURS_ON_DISK });
  if (jiti.esmResolve(full, { try: true }) === undefined) throw new Error(existsSync(full) ? NO_INDEX : NO_SUCH_FILE);
  return jiti.import(full, { default: true });
}

function isThere(resolve: (name: string) => string, name: string): boolean {
  try {
    return resolve(name) !== '';
  } catch (error) {
    // A package that cannot be required may still be importable.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
