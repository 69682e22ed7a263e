import { signalTree } from '#platform/process-tree.js';
import { type FromPlugin, LOAD_ID, READY, type ToPlugin } from '../protocol.js';
import { PluginCalls } from './calls.js';
import { describeThrown } from './describe-thrown.js';
import { type ListPackages, loadModule } from './load-module.js';
import { serveEngine } from './serve-engine.js';
import { serveInjector } from './serve-injector.js';
import type { ServedModule } from './served-module.js';

/** The part of a plugin's program that knows hooks. */
interface PluginWorld {
  serveHook(exported: unknown): Promise<ServedModule>;
  readonly packages: ListPackages;
}

/** Runs in its own process, with a module of the user: serves the host until the host disconnects. */
export function servePlugin(world: PluginWorld): void {
  const send = process.send?.bind(process) ?? ((): boolean => false);
  const calls = new PluginCalls((message: FromPlugin) => void send(message));
  let served: Promise<ServedModule> | null = null;
  send(READY);
  // The module cannot use the channel to the host: it answers by the return values of its functions.
  Object.assign(process, { send: undefined, disconnect: undefined });
  process.on('uncaughtExceptionMonitor', (error) => void send(buildUncaught(error)));
  process.on('disconnect', end);
  process.on('message', (message: ToPlugin) => {
    switch (message.type) {
      case 'load': {
        const serve = { hook: world.serveHook, engine: serveEngine, injector: serveInjector }[message.kind];
        const loading = loadModule(message.file, world.packages).then(serve);
        served = loading;
        void calls.answer(LOAD_ID, async () => ({ value: (await loading).loaded, changedInput: false }));
        break;
      }
      case 'call':
        void calls.answer(message.id, async () => {
          if (served === null) throw new Error('nothing is loaded');
          return calls.run(await served, message);
        });
        break;
      case 'values':
        calls.keep(message);
        break;
      case 'abort':
        calls.abort(message.id);
        break;
      case 'told':
        calls.settleAsked(message);
        break;
      case 'close':
        exitAfterOutput();
    }
  });
}

function exitAfterOutput(): void {
  // oxlint-disable-next-line unicorn/no-process-exit -- it is a program, and has nothing left to do
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

function buildUncaught(error: Error): FromPlugin {
  return { type: 'uncaught', message: describeThrown(error), stack: error.stack ?? null };
}

/** The host is gone, so this process ends the programs that the module has started. */
function end(): void {
  signalTree(process.pid, 'SIGKILL');
  // oxlint-disable-next-line unicorn/no-process-exit -- it is a program
  process.exit();
}
