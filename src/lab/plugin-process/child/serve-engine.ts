import { CREATE_AGAIN } from '../protocol.js';
import type { ServedModule } from './served-module.js';

/** An engine's description of itself, and the names of its methods. */
interface EngineLoaded {
  readonly info: unknown;
  readonly methods: readonly string[];
}

/** Serves an engine: an object, or a function that returns one. Throws if there is none. */
export async function serveEngine(exported: unknown): Promise<ServedModule> {
  let engine = await readEngine(exported);
  const loaded: EngineLoaded = { info: engine.info ?? null, methods: listMethods(engine) };
  return {
    loaded,
    method(name) {
      if (name === CREATE_AGAIN) return async () => void (engine = await readEngine(exported));
      const member = loaded.methods.includes(name) ? engine[name] : undefined;
      return typeof member === 'function'
        ? (...args) => (member as (...all: unknown[]) => unknown).apply(engine, [...args])
        : undefined;
    },
  };
}

async function readEngine(exported: unknown): Promise<Readonly<Record<string, unknown>>> {
  const engine: unknown = typeof exported === 'function' ? await (exported as () => unknown)() : exported;
  if (typeof engine === 'object' && engine !== null) return engine as Readonly<Record<string, unknown>>;
  throw new Error(
    'it exports no engine: write export default { info, ingest, assemble, compact }, or a function that returns one',
  );
}

/** The methods of the object itself and of its class. */
function listMethods(engine: object): readonly string[] {
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
