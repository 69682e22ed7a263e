import { createRequire } from 'node:module';
import path from 'node:path';
import { createJiti } from 'jiti';

const same = (value: unknown): unknown => value;

/** What a guest may import from here wherever this is installed: types, and a function that only says which they are. */
const OURS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'pi-ctx/hooks': { defineHook: same },
  'pi-ctx/engine': { defineEngine: same },
};

/** Packages whose types hooks and engines name. Where they are installed, they are themselves. */
const OF_OTHERS = ['@mariozechner', '@earendil-works'].flatMap((scope) =>
  ['pi-coding-agent', 'pi-coding-agent/hooks', 'pi-ai', 'pi-agent-core', 'pi-tui'].map((name) => `${scope}/${name}`),
);

/** What a module, in TypeScript or JavaScript, exports by default. Throws what it throws. */
export async function loadModule(file: string): Promise<unknown> {
  const full = path.resolve(file);
  const { resolve } = createRequire(full);
  const missing = OF_OTHERS.filter((name) => !isThere(resolve, name)).map((name) => [name, {}] as const);
  const virtualModules = { ...Object.fromEntries(missing), ...OURS };
  // What was compiled is not kept: looking at sessions leaves nothing behind.
  const jiti = createJiti(full, { fsCache: false, moduleCache: false, virtualModules });
  return jiti.import(full, { default: true });
}

function isThere(resolve: (name: string) => string, name: string): boolean {
  try {
    return resolve(name) !== '';
  } catch (error) {
    // A package that cannot be required may be one that can only be imported.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
