import path from 'node:path';
import { isObject, type JsonObject } from '#base/json.js';
import { isProgram } from '#platform/files/config-files.js';
import type { Io } from '#platform/io.js';
import type { RunCall } from './program.js';

/**
 * A call with the context window of the configuration, and with its flags where the command line has none. Only JSON
 * is read, so nothing runs. Throws a CtxError (usage) for a configuration that makes no sense.
 */
export async function withDefaults({ configs, cwd }: Pick<Io, 'configs' | 'cwd'>, call: RunCall): Promise<RunCall> {
  const { config } = call;
  if (config === false || (config !== undefined && isProgram(config))) return call;
  const found =
    config === undefined ? await configs.findPlain(cwd) : { file: config, value: await configs.load(config) };
  if (!found || !isObject(found.value)) return call;
  const { value, file } = found;
  const told = { ...call, configuredLimit: await limitIn(value, config ?? path.relative(cwd, file)) };
  const { defaults } = value;
  if (defaults === undefined) return told;
  const { applyDefaults } = await import('./default-flags.js');
  return applyDefaults(told, defaults, file);
}

/** The context window of a configuration. The schemas are loaded only to say what is wrong. */
async function limitIn(value: JsonObject, file: string): Promise<number | undefined> {
  const { limit } = value;
  if (limit === undefined || (typeof limit === 'number' && Number.isInteger(limit) && limit > 0)) return limit;
  const { configIn } = await import('./config/schema.js');
  return configIn(value, file).limit;
}
