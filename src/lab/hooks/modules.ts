import { CtxError } from '#base/errors.js';
import type { Plugin, PluginStart, StartPlugin } from '#platform/plugin.js';
import { describeLoadHint, PluginFailure } from '../plugin-process/failure.js';
import type { HookHost } from './hook-host.js';
import { type HandlerOptions, listModuleHandlers } from './module-handler.js';
import type { LoadedHook } from './plugin/hook-methods.js';

export interface ModulesStart extends HandlerOptions {
  /** The names of the files, as the user gave them. */
  readonly files: readonly string[];
  readonly startPlugin: StartPlugin;
  readonly signal: AbortSignal;
  /** Takes a line that a module printed. */
  onLog(file: string, line: string): void;
}

/** A module of hooks and what it registered. */
export interface HookModule extends LoadedHook {
  readonly file: string;
}

/** Modules that are loaded, each in a process of its own. */
export interface HookModules extends HookHost {
  readonly modules: readonly HookModule[];
  /** One of them has ended, so that nothing more can be asked. */
  isOver(): boolean;
  close(): Promise<void>;
}

/** Loads modules of hooks. Throws a CtxError (input) where that does not work. */
export async function startModules(start: ModulesStart): Promise<HookModules> {
  const running: RunningModule[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(running.map(({ plugin }) => plugin.close()));
  };
  try {
    for (const file of start.files) {
      const plugin = await load(file, start);
      running.push({ file, plugin, hook: plugin.loaded as LoadedHook });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get modules() {
      return running.map(({ file, hook }) => ({ file, ...hook }));
    },
    handlers: running.flatMap((module) =>
      listModuleHandlers(module.file, module.plugin, {
        ...start,
        onIgnored(ignored) {
          module.hook = { ...module.hook, ignored };
        },
      }),
    ),
    async render(file, id, transform) {
      const module = running.find((each) => each.file === file && each.hook.renderers.includes(id));
      if (!module) return null;
      const rendered = await module.plugin.call('render', [id, transform], { timeLimit: start.timeLimit });
      return typeof rendered === 'string' ? rendered : null;
    },
    isOver: () => running.some(({ plugin }) => plugin.isOver()),
    close,
  };
}

interface RunningModule {
  readonly file: string;
  readonly plugin: Plugin;
  /** The registrations of the module; after its first call also the members that it ignores. */
  hook: LoadedHook;
}

async function load(
  file: string,
  { startPlugin, timeLimit, signal, onLog, onChangedInput }: ModulesStart,
): Promise<Plugin> {
  const start: PluginStart = { file, kind: 'hook', timeLimit, signal, onLog: (line) => onLog(file, line) };
  // Stock Pi lets a handler change its event in place.
  const onChanged = (method: string): void => {
    if (method === 'handle') onChangedInput?.(file);
  };
  try {
    return await startPlugin(onChangedInput ? { ...start, onChangedInput: onChanged } : start);
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    throw buildHookLoadError(file, error);
  }
}

/** The error for a module of hooks that cannot be loaded. */
export function buildHookLoadError(file: string, error: Pick<Error, 'message'>): CtxError {
  return new CtxError('input', `the hook cannot be loaded: ${error.message}`, {
    where: file,
    hint: describeLoadHint(error, 'fix the module; no hook was run and nothing was written'),
  });
}
