import type { ServedModule } from './served-module.js';

/** Serves an injector: a function, or an object with a method `inject`. Throws if there is none. */
export function serveInjector(exported: unknown): Promise<ServedModule> {
  const holder = exported as { readonly inject?: unknown } | null | undefined;
  const inject = typeof exported === 'function' ? exported : holder?.inject;
  if (typeof inject !== 'function')
    throw new Error('it exports no injector: write export default function ({ messages }) { return "…"; }');
  const method: ServedModule['method'] = (name) =>
    name === 'inject' ? (...args) => (inject as (...all: unknown[]) => unknown).apply(exported, [...args]) : undefined;
  return Promise.resolve({ loaded: null, method });
}
