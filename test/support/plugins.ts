import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveHook } from '#lab/hooks/plugin/serve-hook.js';
import { PluginCalls } from '#lab/plugin-process/child/calls.js';
import { serveEngine } from '#lab/plugin-process/child/serve-engine.js';
import { serveInjector } from '#lab/plugin-process/child/serve-injector.js';
import type { ServedModule } from '#lab/plugin-process/child/served-module.js';
import { PluginFailure } from '#lab/plugin-process/failure.js';
import { startPlugin } from '#lab/plugin-process/plugin.js';
import { type FromPlugin, LOAD_ID } from '#lab/plugin-process/protocol.js';
import type { Plugin, PluginStart, StartPlugin } from '#platform/plugin.js';
import { projectFolder } from './files.js';

const program = pathToFileURL(path.join(projectFolder, 'dist/cli/plugin.js'));

/** A plugin as users have it: a process of its own, with the built program in it. */
export const startBuiltPlugin: StartPlugin = (start) => startPlugin(start, program);

/**
 * Plugins in this process, which start at once: what the modules export, by file. They are told and answer in JSON as
 * others do, but nothing limits their time.
 */
export function pluginsHere(modules: Readonly<Record<string, unknown>>): StartPlugin {
  return async (start) => {
    if (!Object.hasOwn(modules, start.file)) throw new PluginFailure('not-loaded', `there is no ${start.file}`);
    return pluginHere(modules[start.file], start);
  };
}

async function pluginHere(exported: unknown, { kind, handlers = {}, onChangedInput }: PluginStart): Promise<Plugin> {
  const waiting = new Map<number, (message: FromPlugin) => void>();
  const calls: PluginCalls = new PluginCalls((message) => {
    if (message.type === 'uncaught') return;
    if (message.type !== 'ask') return waiting.get(message.id)?.(message);
    const { id, name, text } = message;
    const told = async (): Promise<unknown> => handlers[name]?.(...(JSON.parse(text) as unknown[]));
    told().then(
      (value) =>
        calls.settleAsked({ type: 'told', id, ok: true, text: value === undefined ? null : JSON.stringify(value) }),
      (error: Error) => calls.settleAsked({ type: 'told', id, ok: false, text: JSON.stringify(error.message) }),
    );
  });
  let served: ServedModule | null = null;
  let last = LOAD_ID;
  const answer = (id: number, work: Parameters<PluginCalls['answer']>[1], method = ''): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.set(id, (message) => {
        if (message.type === 'answer' && message.changedInput) onChangedInput?.(method);
        if (message.type === 'answer') resolve(message.text === null ? undefined : JSON.parse(message.text));
        if (message.type === 'failed') reject(new PluginFailure(message.kind, message.message, message.stack));
      });
      void calls.answer(id, work);
    });
  const loaded = await answer(LOAD_ID, async () => {
    served = await { hook: serveHook, engine: serveEngine, injector: serveInjector }[kind](exported);
    return { value: served.loaded, changedInput: false };
  });
  return {
    loaded,
    call: (method, given, { places = [], keeps = [] }) => {
      const id = (last += 1);
      const watchesInput = onChangedInput !== undefined;
      const call = { type: 'call', id, method, args: JSON.stringify(given), places, keeps, watchesInput } as const;
      return answer(id, () => calls.run(served!, call), method);
    },
    isOver: () => false,
    close: async () => {},
  };
}
