import { findNearest } from '#base/suggestion.js';
import type { ContextEngine } from '../contract.js';

/** The methods that an engine must have. */
export const REQUIRED_METHODS = ['ingest', 'assemble', 'compact'] as const;

/** All methods of the contract. */
export const ENGINE_METHODS = [
  ...REQUIRED_METHODS,
  'bootstrap',
  'maintain',
  'ingestBatch',
  'afterTurn',
  'prepareSubagentSpawn',
  'onSubagentEnded',
  'callTool',
  'dispose',
] as const;

export type EngineMethod = (typeof ENGINE_METHODS)[number];

export type MethodParams<Name extends EngineMethod> = Parameters<NonNullable<ContextEngine[Name]>>[0];

export type MethodAnswer<Name extends EngineMethod> = Awaited<ReturnType<NonNullable<ContextEngine[Name]>>>;

/** The names that the contract does not have, and that are close to a method which is missing. */
export function findMistypedMethods(names: ReadonlySet<unknown>): readonly string[] {
  const missing = ENGINE_METHODS.filter((method) => method === 'dispose' || !names.has(method));
  const known: ReadonlySet<unknown> = new Set(ENGINE_METHODS);
  const mistyped: string[] = [];
  for (const name of names) {
    if (typeof name !== 'string' || known.has(name)) continue;
    if (findNearest(name, missing) !== null) mistyped.push(name);
  }
  return mistyped;
}
