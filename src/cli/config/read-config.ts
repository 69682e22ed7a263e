import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import type { Baseline } from '#context/replay/content.js';
import type { FoundConfig } from '#platform/files/load-config.js';
import type { Io } from '#platform/io.js';
import type { FlagValues } from '../commands/flags.js';
import type { configFlags } from '../commands/shared-flags.js';
import { readBaseline } from '../read-json.js';
import type { Config } from './schema.js';

export type ConfigFlags = Partial<FlagValues<typeof configFlags>>;

export interface ReadConfig {
  /** Relative to the working directory; null if there is none. */
  readonly file: string | null;
  readonly config: Config;
  /**
   * Whether it may act, such as run modules: the command line names it, it is the user's own, or the user allowed it.
   */
  readonly isTrusted: boolean;
}

/**
 * The configuration that `--config` names, else the nearest one, with the missing keys from the user's own. The schemas
 * are loaded only for an existing one. Throws a CtxError (usage) for invalid values.
 */
export async function readConfig(io: Pick<Io, 'configs' | 'cwd'>, flags: ConfigFlags): Promise<ReadConfig> {
  if (flags['no-config']) return { file: null, config: {}, isTrusted: false };
  const found: FoundConfig | null =
    flags.config === undefined
      ? await io.configs.find(io.cwd)
      : { file: flags.config, value: await io.configs.load(flags.config), isTrusted: true };
  const user = await io.configs.user();
  if (found === null && user === null) return { file: null, config: {}, isTrusted: false };
  const { parseConfig } = await import('./schema.js');
  const below = user === null ? {} : toUserConfig(parseConfig(user.value, user.file), path.dirname(user.file));
  if (found === null) return { file: path.relative(io.cwd, user?.file ?? ''), config: below, isTrusted: true };
  const file = flags.config ?? path.relative(io.cwd, found.file);
  return { file, config: { ...below, ...parseConfig(found.value, file) }, isTrusted: found.isTrusted };
}

/** The user's configuration for all projects: its paths are absolute, and it names no files to check. */
function toUserConfig({ files: _files, ...config }: Config, folder: string): Config {
  const toFullPath = (name: string | undefined): string | undefined => name && path.resolve(folder, name);
  const { archive, known, contextBaseline } = config;
  return {
    ...config,
    archive: toFullPath(archive),
    known: toFullPath(known),
    contextBaseline: toFullPath(contextBaseline),
  };
}

/**
 * Throws a CtxError (usage) where a configuration does more than set rules, limits and looks, and the user has not allowed
 * it: it may have come with a folder from someone else. `what` says which setting does what, as in "prune.spill writes files".
 */
export function refuseUntrusted({ file, isTrusted }: Pick<ReadConfig, 'file' | 'isTrusted'>, what: string): void {
  if (isTrusted) return;
  const name = toShellWord(file ?? 'FILE');
  throw new CtxError('usage', `${what}, which you have not allowed`, {
    where: file ?? '',
    hint: `read the file, then allow it: ctx trust ${name}; or name it each time: --config ${name}`,
  });
}

/** A file name of a configuration, relative to the working directory. A pattern may exclude files: `!drafts/**`. */
export function resolveConfigName(file: string | null, { cwd }: Pick<Io, 'cwd'>, name: string): string {
  return resolveName(cwd, path.dirname(path.resolve(cwd, file ?? '.')), name);
}

/** Reads the baseline from the file that a configuration names. Throws a CtxError (usage) if there is none. */
export async function readConfigBaseline({ files }: Pick<Io, 'files'>, file: string): Promise<Baseline> {
  if (files.exists(file)) return readBaseline(files, file);
  throw new CtxError('usage', 'there is no file for "contextBaseline"', {
    where: file,
    hint: 'correct the configuration',
  });
}

function resolveName(from: string, folder: string, name: string): string {
  if (name.startsWith('!')) return `!${resolveName(from, folder, name.slice(1))}`;
  return path.isAbsolute(name) ? name : path.relative(from, path.join(folder, name)) || '.';
}
