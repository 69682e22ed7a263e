import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';

/** Files that say how a project wants things to be done. Each method throws a CtxError (usage) for one that cannot be read. */
export interface Configs {
  /** The one that is nearest to a folder, in it or above it; null where there is none. */
  find(folder: string): Promise<FoundConfig | null>;
  /** The nearest configuration, if it is JSON; null where it is a program, which is not run. */
  findPlain(folder: string): Promise<FoundConfig | null>;
  /** The user's own configuration, which is JSON; null where there is none. */
  user(): Promise<FoundConfig | null>;
  /** The content of a configuration file, unchecked. */
  load(file: string): Promise<unknown>;
}

/** A configuration that was found, and what its file says. */
export interface FoundConfig {
  /** A full path. */
  readonly file: string;
  readonly value: unknown;
}

/** Files of a folder that may hold the configuration; the first that is there counts. */
export const CONFIG_NAMES: readonly string[] = [
  'ctx.config.json',
  'ctx.config.js',
  'ctx.config.mjs',
  'ctx.config.cjs',
  'ctx.config.ts',
  'ctx.config.mts',
  'ctx.config.cts',
  'package.json',
];

/** The key of package.json that holds it. */
const KEY = 'ctx';

/**
 * The configuration that is nearest to a folder: in it, or in one above it, up to `home`, or to the root where the
 * folder is not below that. `plain`: null where that is a program. Throws a CtxError (usage) for one that cannot be read.
 * Nearly every run looks and finds nothing, so looking loads nothing.
 */
export async function findConfig(
  folder: string,
  home: string,
  kind: 'any' | 'plain' = 'any',
): Promise<FoundConfig | null> {
  for (let at = folder, above = ''; at !== above; above = at, at = path.dirname(at)) {
    for (const name of CONFIG_NAMES) {
      const file = path.join(at, name);
      const isThere = existsSync(file);
      // A program counts like any other configuration, but where only data is wanted it is not run.
      if (isThere && kind === 'plain' && isProgram(file)) return null;
      const value = isThere ? await loadConfig(file) : undefined;
      if (value !== undefined) return { file, value };
    }
    if (at === home) break;
  }
  return null;
}

/** The user's own configuration; null where there is none. Throws a CtxError (usage) for one that cannot be read. */
export async function findUserConfig(env: Env, home: string): Promise<FoundConfig | null> {
  const file = userConfigFile(env, home, process.platform);
  return file !== null && existsSync(file) ? { file, value: await loadConfig(file) } : null;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The path of the user's configuration, as XDG has it, or Windows; null where no home folder is known. */
export function userConfigFile(env: Env, home: string, platform: NodeJS.Platform): string | null {
  const { APPDATA = '', XDG_CONFIG_HOME: xdg = '' } = env;
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix;
  const folder = platform === 'win32' ? APPDATA : isAbsolute(xdg) ? xdg : join(home, '.config');
  return isAbsolute(folder) ? join(folder, 'ctx', 'config.json') : null;
}

/**
 * The content of a configuration file: JSON as it is, of a package.json its key, of a program its export; undefined
 * where that is nothing.
 */
export async function loadConfig(file: string): Promise<unknown> {
  if (!existsSync(file))
    throw new CtxError('usage', 'no such configuration', { where: file, hint: 'check the path behind --config' });
  try {
    return isProgram(file) ? await runProgram(file) : readJson(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Whether a configuration runs when it is read. */
export function isProgram(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file);
}

function readJson(file: string): unknown {
  const isPackage = path.basename(file) === 'package.json';
  try {
    // A link may lead to a device, which never ends, or to a pipe that nobody writes to.
    if (!statSync(file).isFile()) throw new Error('it is not a file');
    const value: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    if (!isPackage) return value;
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[KEY] : undefined;
  } catch (error) {
    // A package.json that is broken has no key of ours, and is not for us to complain about.
    if (isPackage) return undefined;
    throw error;
  }
}

/** `defineConfig` can be imported from this package wherever that is installed. */
const virtualModules = { 'pi-ctx': { defineConfig: (config: unknown) => config } };

async function runProgram(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  // What was compiled is not kept: looking at sessions leaves nothing behind.
  const jiti = createJiti(file, { fsCache: false, moduleCache: false, virtualModules });
  return jiti.import(path.resolve(file), { default: true });
}

function unreadable(file: string, error: unknown): CtxError {
  const message = error instanceof Error ? error.message : String(error);
  const [first = ''] = message.split('\n');
  // A program that does not parse says where behind its first line.
  const [, place = ''] = /^\s+\S+(:\d+:\d+)$/m.exec(message) ?? [];
  return new CtxError('usage', `the configuration cannot be read: ${first.trim()}`, {
    where: `${path.relative('', file)}${place}`,
    hint: 'mend the file, or do without it: --no-config',
  });
}
