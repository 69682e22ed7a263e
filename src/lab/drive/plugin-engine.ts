import { asObject, isObject } from '#base/json.js';
import type { Plugin, RecreatedArgument, StartPlugin } from '#platform/plugin.js';
import type { ContextEngine } from '../contract.js';
import { CREATE_AGAIN } from '../plugin-process/protocol.js';
import type { ContextEngineRuntimeContext } from '../runtime-context.js';
import type { MakeEngine } from './drive-options.js';
import { ENGINE_METHODS, findMistypedMethods } from './engine-methods.js';
import { toEngineFailure } from './failure.js';

export interface PluginEngineStart {
  /** The module, in TypeScript or JavaScript. */
  readonly file: string;
  readonly startPlugin: StartPlugin;
  /** Milliseconds that loading and each call may take. */
  readonly timeLimit: number;
  /** Takes the lines that it prints. They may hold anything. */
  onLog(line: string): void;
  /** Hears that a method has changed what it was given, which are copies. */
  readonly onChangedInput?: ((method: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An engine of the user, which runs in a process of its own until it is disposed of. */
export async function startPluginEngine(start: PluginEngineStart): Promise<ContextEngine> {
  const { file, startPlugin, timeLimit, onLog, onChangedInput, signal } = start;
  let rewrites: ContextEngineRuntimeContext['rewriteTranscriptEntries'];
  const rewriteTranscriptEntries = async (request: unknown): Promise<unknown> => {
    if (!rewrites) throw new Error('rewriteTranscriptEntries is not available in this method');
    return rewrites(request as Parameters<typeof rewrites>[0]);
  };
  // An interrupt aborts only the loading: a running engine must still be told to dispose.
  const loading = new AbortController();
  const stop = (): void => loading.abort();
  signal?.addEventListener('abort', stop);
  const plugin = await startPlugin({
    file,
    kind: 'engine',
    timeLimit,
    handlers: { rewriteTranscriptEntries },
    onLog,
    onChangedInput,
    signal: loading.signal,
  })
    .catch((error: unknown) => {
      throw toEngineFailure('create', error);
    })
    .finally(() => signal?.removeEventListener('abort', stop));
  return toEngine(plugin, timeLimit, (context) => {
    rewrites = context?.rewriteTranscriptEntries;
  });
}

/** The methods that a plugin has, and no others. */
function toEngine(
  plugin: Plugin,
  timeLimit: number,
  serve: (context: ContextEngineRuntimeContext | undefined) => void,
): ContextEngine {
  const { info, methods: names } = asObject(plugin.loaded);
  const methods = new Set(Array.isArray(names) ? (names as readonly unknown[]) : []);
  const call = async (method: string, params: unknown): Promise<unknown> => {
    const context = isObject(params) ? (params.runtimeContext as ContextEngineRuntimeContext | undefined) : undefined;
    serve(context);
    const { given, places } = splitParams(params);
    return plugin.call(method, given, { timeLimit, places, keeps: KEPT_FUNCTIONS[method] ?? [], sentOnce: SENT_ONCE });
  };

  const members: Record<string, unknown> = { info };
  // The check of engines names mistyped methods.
  for (const method of [...ENGINE_METHODS, ...findMistypedMethods(methods)]) {
    if (methods.has(method)) members[method] = (params: unknown) => call(method, params);
  }
  if (methods.has('prepareSubagentSpawn')) {
    members.prepareSubagentSpawn = async (params: unknown) =>
      restoreRollback(await call('prepareSubagentSpawn', params), (kept) => plugin.call(kept, [], { timeLimit }));
  }

  const end = async (): Promise<void> => {
    if (methods.has('dispose') && !plugin.isOver()) await plugin.call('dispose', [], { timeLimit });
  };
  // The process ends even if the engine fails to dispose.
  members.dispose = async () => {
    try {
      await end();
    } finally {
      await plugin.close();
    }
  };

  // The check of engines finds missing and invalid members.
  const engine = members as unknown as ContextEngine;
  processes.set(engine, {
    dispose: end,
    async createAgain() {
      await plugin.call(CREATE_AGAIN, [], { timeLimit });
    },
  });
  return engine;
}

interface EngineProcess {
  /** Disposes of the engine, and keeps the process. */
  dispose(): Promise<void>;
  createAgain(): Promise<void>;
}

const processes = new WeakMap<ContextEngine, EngineProcess>();

/** Two engines of one process, as a host creates them for two sessions. */
export interface EngineTwice {
  readonly first: MakeEngine;
  readonly second: MakeEngine;
  /** Ends the process without a second engine. */
  end(): Promise<void>;
}

/**
 * Prepares an engine to be created twice. The first is disposed of before the second is created, and disposing of the
 * second ends the process. An engine without a process of its own is created in this one.
 */
export function createTwice(make: MakeEngine): EngineTwice {
  let engine: ContextEngine | null = null;
  return {
    first: async (setup) => {
      engine = await make(setup);
      const own = processes.get(engine);
      return own
        ? Object.assign(Object.create(engine) as ContextEngine, engine, { dispose: () => own.dispose() })
        : engine;
    },
    async second(setup) {
      const own = engine && processes.get(engine);
      if (!engine || !own) return make(setup);
      await own.createAgain();
      return engine;
    },
    async end() {
      if (engine && processes.has(engine)) await engine.dispose?.();
    },
  };
}

/** Functions that stay with the plugin. */
const KEPT_FUNCTIONS: Readonly<Record<string, readonly string[]>> = { prepareSubagentSpawn: ['rollback'] };

/** Messages are frozen, and most of them were in the call before. */
const SENT_ONCE = [
  [0, 'message'],
  [0, 'messages'],
  [0, 'runtimeContext', 'transcript'],
];

/** The arguments of a method; those that are no JSON are created again in the plugin. */
function splitParams(params: unknown): {
  readonly given: readonly unknown[];
  readonly places: readonly RecreatedArgument[];
} {
  if (!isObject(params)) return { given: [], places: [] };
  const { availableTools, runtimeContext, ...rest } = params;
  const places: RecreatedArgument[] = [];
  const given: Record<string, unknown> = { ...rest };
  if (availableTools instanceof Set) {
    given.availableTools = [...(availableTools as ReadonlySet<unknown>)];
    places.push({ at: [0, 'availableTools'], kind: 'set' });
  }
  if (isObject(runtimeContext)) {
    const { rewriteTranscriptEntries, ...facts } = runtimeContext;
    given.runtimeContext = facts;
    const at = [0, 'runtimeContext', 'rewriteTranscriptEntries'];
    if (rewriteTranscriptEntries) places.push({ at, kind: 'function', handler: 'rewriteTranscriptEntries' });
  }
  return { given: [given], places };
}

/** Replaces the name that a plugin gives for its function by a function that calls it. */
function restoreRollback(prepared: unknown, call: (kept: string) => Promise<unknown>): unknown {
  if (!isObject(prepared)) return prepared ?? undefined;
  const { rollback } = prepared;
  return typeof rollback === 'string' ? { ...prepared, rollback: () => call(rollback) } : prepared;
}
