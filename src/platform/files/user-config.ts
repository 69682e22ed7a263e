import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FoundConfig, loadConfig } from './load-config.js';

/** The user's own configuration; null where there is none. Throws a CtxError (usage) for one that cannot be read. */
export async function findUserConfig(env: Env, home: string): Promise<FoundConfig | null> {
  const file = findUserConfigFile(env, home, process.platform);
  return file !== null && existsSync(file) ? { file, value: await loadConfig(file), isTrusted: true } : null;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Finds the path of the user's configuration by the rules of XDG or Windows; null if no home folder is known. */
export function findUserConfigFile(env: Env, home: string, platform: NodeJS.Platform): string | null {
  const { join } = pathsOf(platform);
  const candidates = platform === 'win32' ? [env.APPDATA] : [env.XDG_CONFIG_HOME, join(home, '.config')];
  const folder = findAbsolute(candidates, platform);
  return folder === null ? null : join(folder, 'ctx', 'config.json');
}

/** Finds the folder of the user's data by the rules of XDG or Windows; null if no home folder is known. */
export function findDataFolder(env: Env, home: string, platform: NodeJS.Platform): string | null {
  const { join } = pathsOf(platform);
  const candidates = platform === 'win32' ? [env.LOCALAPPDATA] : [env.XDG_DATA_HOME, join(home, '.local', 'share')];
  const folder = findAbsolute(candidates, platform);
  return folder === null ? null : join(folder, 'ctx');
}

function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

function findAbsolute(folders: readonly (string | undefined)[], platform: NodeJS.Platform): string | null {
  return folders.find((folder) => folder !== undefined && pathsOf(platform).isAbsolute(folder)) ?? null;
}
