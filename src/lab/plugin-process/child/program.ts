import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Jiti from 'jiti';
import { signalTree } from '#platform/processes.js';
import { CREATE_AGAIN, type FromPlugin, LOAD_ID, NO_INDEX, NO_SUCH_FILE, READY, type ToPlugin } from '../protocol.js';
import { describeThrown, PluginCalls, type ServedModule, serveInjector } from './calls.js';

// Required: to import CommonJS, Node would first search all of it for its exports, a tenth of the time to the first call.
const { createJiti } = createRequire(import.meta.url)('jiti') as typeof Jiti;

/** The part of a plugin's program that knows hooks. */
interface PluginWorld {
  serveHook(exported: unknown): Promise<ServedModule>;
  /** Modules that a module of the user may import wherever it is; `isInstalled`: its own folder has such a package. */
  packages(isInstalled: (name: string) => boolean): Readonly<Record<string, unknown>>;
}

/** Runs in its own process, with a module of the user: serves the host until the host disconnects. */
export function servePlugin(world: PluginWorld): void {
  const send = process.send?.bind(process) ?? ((): boolean => false);
  const calls = new PluginCalls((message: FromPlugin) => void send(message));
  let served: Promise<ServedModule> | null = null;
  send(READY);
  // The module cannot use the channel to the host: it answers by the return values of its functions.
  Object.assign(process, { send: undefined, disconnect: undefined });
  process.on('uncaughtExceptionMonitor', (error) => void send(uncaught(error)));
  process.on('disconnect', end);
  process.on('message', (message: ToPlugin) => {
    switch (message.type) {
      case 'load': {
        const serve = { hook: world.serveHook, engine: serveEngine, injector: serveInjector }[message.kind];
        const loading = loadModule(message.file, world).then(serve);
        served = loading;
        return void calls.answer(LOAD_ID, async () => ({ value: (await loading).loaded, changedInput: false }));
      }
      case 'call':
        return void calls.answer(message.id, async () => {
          if (served === null) throw new Error('nothing is loaded');
          return calls.run(await served, message);
        });
      case 'values':
        return calls.keep(message);
      case 'abort':
        return calls.abort(message.id);
      case 'told':
        return calls.told(message);
      case 'close':
        // Flush its output first.
        // oxlint-disable-next-line unicorn/no-process-exit -- it is a program, and has nothing left to do
        return void process.stdout.write('', () => process.stderr.write('', () => process.exit()));
    }
  });
}

function uncaught(error: Error): FromPlugin {
  return { type: 'uncaught', message: describeThrown(error), stack: error.stack ?? null };
}

/** The host is gone, so this process ends the programs that the module has started. */
function end(): void {
  signalTree(process.pid, 'SIGKILL');
  // oxlint-disable-next-line unicorn/no-process-exit -- it is a program
  process.exit();
}

/** The built-in engines, which are next to this program's folder. */
const OURS_ON_DISK = { 'pi-ctx/engines': fileURLToPath(new URL('../engines.js', import.meta.url)) };

/** Loads the default export of a module, in TypeScript or JavaScript. Throws the errors of the module. */
export async function loadModule(file: string, { packages }: Pick<PluginWorld, 'packages'>): Promise<unknown> {
  const full = path.resolve(file);
  const { resolve } = createRequire(full);
  // Compiled code is not cached: reading sessions writes no files.
  const virtualModules = packages((name) => isThere(resolve, name));
  const jiti = createJiti(full, { fsCache: false, moduleCache: false, virtualModules, alias: OURS_ON_DISK });
  if (jiti.esmResolve(full, { try: true }) === undefined) throw new Error(existsSync(full) ? NO_INDEX : NO_SUCH_FILE);
  return jiti.import(full, { default: true });
}

function isThere(resolve: (name: string) => string, name: string): boolean {
  try {
    return resolve(name) !== '';
  } catch (error) {
    // A package that cannot be required may still be importable.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}

/** An engine's description of itself, and the names of its methods. */
interface EngineLoaded {
  readonly info: unknown;
  readonly methods: readonly string[];
}

/** Serves an engine: an object, or a function that returns one. Throws if there is none. */
export async function serveEngine(exported: unknown): Promise<ServedModule> {
  let engine = await engineIn(exported);
  const loaded: EngineLoaded = { info: engine['info'] ?? null, methods: methodsOf(engine) };
  return {
    loaded,
    method(name) {
      if (name === CREATE_AGAIN) return async () => void (engine = await engineIn(exported));
      const member = loaded.methods.includes(name) ? engine[name] : undefined;
      return typeof member === 'function'
        ? (...args) => (member as (...all: unknown[]) => unknown).apply(engine, [...args])
        : undefined;
    },
  };
}

async function engineIn(exported: unknown): Promise<Readonly<Record<string, unknown>>> {
  const engine: unknown = typeof exported === 'function' ? await (exported as () => unknown)() : exported;
  if (typeof engine === 'object' && engine !== null) return engine as Readonly<Record<string, unknown>>;
  throw new Error(
    'it exports no engine: write export default { info, ingest, assemble, compact }, or a function that returns one',
  );
}

/** The methods of the object itself and of its class. */
function methodsOf(engine: object): readonly string[] {
  const names = new Set<string>();
  for (
    let at: unknown = engine;
    typeof at === 'object' && at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name !== 'constructor' && typeof (engine as Readonly<Record<string, unknown>>)[name] === 'function')
        names.add(name);
    }
  }
  return [...names];
}
