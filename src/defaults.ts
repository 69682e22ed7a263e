import { isProgram } from './config-files.js';
import type { Io } from './io.js';
import type { RunCall } from './program.js';

/**
 * A call with the flags that the configuration gives its command, where the command line says nothing of them. Only JSON
 * is read, so nothing runs. Throws a CtxError (usage) for a configuration that makes no sense.
 */
export async function withDefaults({ configs, cwd }: Pick<Io, 'configs' | 'cwd'>, call: RunCall): Promise<RunCall> {
  const { config } = call;
  if (config === false || (config !== undefined && isProgram(config))) return call;
  const found =
    config === undefined ? await configs.findPlain(cwd) : { file: config, value: await configs.load(config) };
  const defaults = (found?.value as { readonly defaults?: unknown } | null | undefined)?.defaults;
  if (!found || defaults === undefined) return call;
  const { applyDefaults } = await import('./default-flags.js');
  return applyDefaults(call, defaults, found.file);
}
