import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FoundConfig, loadConfig } from './load-config.js';

/** The user's own configuration; null where there is none. Throws a CtxError (usage) for one that cannot be read. */
export async function findUserConfig(env: Env, home: string): Promise<FoundConfig | null> {
  const file = findUserConfigFile(env, home, process.platform);
  return file !== null && existsSync(file) ? { file, value: await loadConfig(file), isTrusted: true } : null;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** The path of the user's configuration, as XDG has it, or Windows; null where no home folder is known. */
export function findUserConfigFile(env: Env, home: string, platform: NodeJS.Platform): string | null {
  const { APPDATA = '', XDG_CONFIG_HOME: xdg = '' } = env;
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix;
  const folder = platform === 'win32' ? APPDATA : isAbsolute(xdg) ? xdg : join(home, '.config');
  return isAbsolute(folder) ? join(folder, 'ctx', 'config.json') : null;
}

/** The folder of the user's data, as XDG has it, or Windows; null where no home folder is known. */
export function findDataFolder(env: Env, home: string, platform: NodeJS.Platform): string | null {
  const { LOCALAPPDATA = '', XDG_DATA_HOME: xdg = '' } = env;
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix;
  const folder = platform === 'win32' ? LOCALAPPDATA : isAbsolute(xdg) ? xdg : join(home, '.local', 'share');
  return isAbsolute(folder) ? join(folder, 'ctx') : null;
}
