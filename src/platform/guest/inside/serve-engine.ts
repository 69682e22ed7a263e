import type { Served } from './define.js';

/** What an engine is: what it says of itself, and the names of its methods. */
interface EngineLoaded {
  readonly info: unknown;
  readonly methods: readonly string[];
}

/** Serves an engine: an object, or a function that makes one. Throws where there is none. */
export async function serveEngine(exported: unknown): Promise<Served> {
  const engine: unknown = typeof exported === 'function' ? await (exported as () => unknown)() : exported;
  if (typeof engine !== 'object' || engine === null)
    throw new Error(
      'it exports no engine: write export default { info, ingest, assemble, compact }, or a function that makes one',
    );
  const members = engine as Readonly<Record<string, unknown>>;
  const loaded: EngineLoaded = { info: members['info'] ?? null, methods: methodsOf(engine) };
  return {
    loaded,
    method(name) {
      const member = loaded.methods.includes(name) ? members[name] : undefined;
      return typeof member === 'function'
        ? (...args) => (member as (...all: unknown[]) => unknown).apply(engine, [...args])
        : undefined;
    },
  };
}

/** Of the object itself and of its class. */
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
