import path from 'node:path';
import type { Settings } from '#analysis/check/check.js';
import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import { readBaseline } from '../read-json.js';
import type { Config } from './schema.js';

/** The flags that choose a configuration. */
export interface ConfigFlags {
  readonly config?: string | undefined;
  readonly 'no-config'?: boolean | undefined;
}

export interface ReadConfig {
  /** As seen from the working folder; null where there is none. */
  readonly file: string | null;
  readonly config: Config;
}

/**
 * The configuration that is asked for, else the nearest one. The schemas are loaded only where there is one. Throws a
 * CtxError (usage) for what makes no sense.
 */
export async function readConfig(io: Pick<Io, 'configs' | 'cwd'>, flags: ConfigFlags): Promise<ReadConfig> {
  if (flags['no-config']) return { file: null, config: {} };
  const found =
    flags.config === undefined
      ? await io.configs.find(io.cwd)
      : { file: flags.config, value: await io.configs.load(flags.config) };
  if (found === null) return { file: null, config: {} };
  const file = flags.config ?? path.relative(io.cwd, found.file);
  const { configIn } = await import('./schema.js');
  return { file, config: configIn(found.value, file) };
}

/** A name that a configuration holds, as seen from the working folder. A pattern may leave files out: `!drafts/**`. */
export function nameFrom(file: string | null, { cwd }: Pick<Io, 'cwd'>, name: string): string {
  return named(cwd, path.dirname(path.resolve(cwd, file ?? '.')), name);
}

/** Reads the baseline from the file that a configuration names. Throws a CtxError (usage) where there is none. */
export async function contextBaselineFrom(
  { files }: Pick<Io, 'files'>,
  file: string,
): Promise<NonNullable<Settings['baseline']>> {
  if (files.exists(file)) return readBaseline(files, file);
  throw new CtxError('usage', 'there is no file for "contextBaseline"', {
    where: file,
    hint: 'mend the configuration',
  });
}

function named(from: string, folder: string, name: string): string {
  if (name.startsWith('!')) return `!${named(from, folder, name.slice(1))}`;
  return path.isAbsolute(name) ? name : path.relative(from, path.join(folder, name)) || '.';
}
