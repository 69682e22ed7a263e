import path from 'node:path';
import { CtxError, shortenForError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { readConfiguredCount } from '#base/numbers.js';
import { type FoundConfig, isConfigProgram } from '#platform/files/load-config.js';
import type { Io } from '#platform/io.js';
import { type Theme, THEMES } from '#ui/doc/style.js';
import { commandsWithoutConfig } from '../commands/index.js';
import type { Config } from '../config/schema.js';
import type { CommandCall } from './command-call.js';

type World = Pick<Io, 'configs' | 'cwd' | 'files'>;

/**
 * A call with the settings of the project's and the user's configurations: the context window, the theme, and flags
 * that the command line lacks. Only JSON is read, so nothing runs. An invalid configuration is reported
 * and ignored. Throws a CtxError (usage) instead where the verdict of the command depends on it, as that of `ctx check`,
 * where the command writes, and where secrets could show. A command that an agent runs on its own has no configuration.
 */
export async function addConfiguredDefaults(io: World, call: CommandCall): Promise<CommandCall> {
  const { config, command } = call;
  if (config === false || commandsWithoutConfig.has(command.name)) return call;
  try {
    return await readDefaults(io, call, config);
  } catch (error) {
    if (!(error instanceof CtxError) || needsConfig(call) || (await mayHideSecrets(io, error))) throw error;
    const parts = [error.message, error.where, error.hint].filter((part) => part !== null);
    return {
      ...call,
      notes: [...call.notes, `warning: configuration ignored: ${parts.map(shortenForError).join(': ')}`],
    };
  }
}

async function readDefaults(
  { configs, cwd }: World,
  call: CommandCall,
  config: string | undefined,
): Promise<CommandCall> {
  const project = await readProject({ configs, cwd }, config);
  const layers = [project, await configs.user()].filter((layer) => layer !== null && isObject(layer.value));
  const found = layers as readonly FoundConfig[];
  const nameFile = ({ file }: FoundConfig): string => (file === config ? file : path.relative(cwd, file));
  const settings = await Promise.all(found.map((layer) => readSettings(layer, nameFile(layer))));
  const withSettings = {
    ...call,
    configuredLimit: settings.find(({ limit }) => limit !== undefined)?.limit,
    theme: settings.find(({ theme }) => theme !== undefined)?.theme,
  };
  if (!found.some(({ value }) => findDefaults(value) !== undefined)) return withSettings;
  const { applyDefaults } = await import('./default-flags.js');
  return applyDefaults(
    withSettings,
    found.map((layer) => {
      return { defaults: findDefaults(layer.value) ?? {}, where: nameFile(layer), isTrusted: layer.isTrusted };
    }),
  );
}

/** The configuration of the project; null if there is none, or it is a program, which does not run here. */
async function readProject(
  { configs, cwd }: Pick<World, 'configs' | 'cwd'>,
  config: string | undefined,
): Promise<FoundConfig | null> {
  if (config === undefined) return configs.findPlain(cwd);
  if (isConfigProgram(config)) return null;
  return { file: config, value: await configs.load(config), isTrusted: true };
}

function findDefaults(value: unknown): unknown {
  return isObject(value) ? value.defaults : undefined;
}

/** The settings that apply to every command. The schemas are loaded only to explain an error. */
async function readSettings({ value }: FoundConfig, file: string): Promise<Pick<Config, 'limit' | 'theme'>> {
  if (!isObject(value)) return {};
  const { theme } = value;
  const limit = value.limit === undefined ? undefined : readConfiguredCount(value.limit);
  if (limit !== null && (theme === undefined || isTheme(theme))) return { limit, theme };
  const { parseConfig } = await import('../config/schema.js');
  return parseConfig(value, file);
}

function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value);
}

/** Whether a command writes, and so must not run without the flags that the user has configured. */
function needsConfig({ command: { flags } }: CommandCall): boolean {
  return ['config', 'dry-run', 'output'].some((name) => Object.hasOwn(flags, name));
}

/** Whether a broken configuration, or another one, may contain `redact`, which must not be ignored. */
async function mayHideSecrets({ configs, cwd, files }: World, { where }: CtxError): Promise<boolean> {
  const text = new TextDecoder().decode(files.beginning(path.resolve(cwd, where ?? ''), MOST_BYTES));
  if (text === '' || text.includes('redact')) return true;
  const layers = await Promise.allSettled([configs.findPlain(cwd), configs.user()]);
  return layers.some(
    (layer) => layer.status === 'fulfilled' && JSON.stringify(layer.value?.value ?? null).includes('redact'),
  );
}

const MOST_BYTES = 1_000_000;
