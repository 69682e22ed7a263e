import { existsSync } from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { type FoundConfig, isConfigProgram, loadConfig, readJson } from './load-config.js';
import type { TrustedConfigs } from './trusted-configs.js';

/** The configuration files of a project. Each method throws a CtxError (usage) for one that cannot be read. */
export interface Configs {
  /** The configuration nearest to a folder, in it or in a parent; null if there is none. */
  find(folder: string): Promise<FoundConfig | null>;
  /** The nearest configuration, if it is JSON; null if it is a program, which is not run. */
  findPlain(folder: string): Promise<FoundConfig | null>;
  /** The user's own configuration, which is JSON; null where there is none. */
  user(): Promise<FoundConfig | null>;
  /** The content of a configuration file, not validated. */
  load(file: string): Promise<unknown>;
  /** The path of the configuration nearest to a folder, which is not run; null if there is none. */
  nearest(folder: string): string | null;
  /** The configurations that the user allows to act. */
  readonly trusted: TrustedConfigs;
}

/** The possible configuration files of a folder; the first that exists is used. */
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

/**
 * The configuration nearest to a folder: in it or in a parent, up to `home`, or to the root if the folder is not below
 * `home`. `plain`: null for a program. Throws a CtxError (usage) for one that cannot be read, and for a program that
 * the user has not allowed to run. Most runs find no configuration, so the search loads no other module.
 */
export async function findConfig(
  folder: string,
  home: string,
  trusted: TrustedConfigs,
  kind: 'any' | 'plain' = 'any',
): Promise<FoundConfig | null> {
  const file = findNearestConfig(folder, home);
  if (file === null) return null;
  if (!isConfigProgram(file)) return { file, value: await loadConfig(file), isTrusted: trusted.has(file) };
  // A program counts like any other configuration, but is not run if only data is wanted.
  if (kind === 'plain') return null;
  if (!trusted.has(file)) throw buildUntrustedProgramError(file);
  return { file, value: await loadConfig(file), isTrusted: true };
}

/** The path of that configuration. Throws a CtxError (usage) for JSON that cannot be read. */
export function findNearestConfig(folder: string, home: string): string | null {
  for (let at = folder, above = ''; at !== above; above = at, at = path.dirname(at)) {
    for (const name of CONFIG_NAMES) {
      const file = path.join(at, name);
      if (existsSync(file) && (name !== 'package.json' || readJson(file) !== undefined)) return file;
    }
    if (at === home) break;
  }
  return null;
}

/** The error for a program that the user has not allowed: it may have come with a folder from someone else. */
export function buildUntrustedProgramError(file: string): CtxError {
  const where = path.relative('', file) || file;
  return new CtxError('usage', 'this configuration is a program, and you have not allowed it to run', {
    where,
    hint: `read the file, then allow it: ctx trust ${toShellWord(where)}; or pass --config FILE, or --no-config to ignore it`,
  });
}
