import { PluginFailure, type PluginFailureKind } from '../plugin-process/failure.js';
import type { Clause } from './breaches/clauses.js';

/** `result`: it gave what the contract does not allow; `promise`: it broke one that it made before. */
export type EngineFailureKind = PluginFailureKind | 'result' | 'promise';

/** A method of an engine that threw, returned nothing or a wrong value. `message` is a sentence about it. */
export class EngineFailure extends Error {
  constructor(
    readonly kind: EngineFailureKind,
    /** `create`: the engine could not even be made. */
    readonly method: string,
    message: string,
    /** The place in the engine's source, for debugging. */
    readonly engineStack: string | null = null,
    /** The sentence of the contract, where kind and method do not say which it is. */
    readonly clause: Clause | null = null,
  ) {
    super(message);
    this.name = 'EngineFailure';
  }
}

const CLAUSES_BY_KIND: Readonly<Partial<Record<EngineFailureKind, Clause>>> = {
  threw: 'no-throw',
  exited: 'no-throw',
  'timed-out': 'in-time',
  'not-json': 'answer-type',
  result: 'answer-type',
};

/** The sentence of the contract that a failure breaks; null: none, as the user interrupted it. */
export function findBrokenClause({ kind, method, clause }: EngineFailure): Clause | null {
  if (kind === 'cancelled') return null;
  return clause ?? (method === 'create' ? 'loads' : (CLAUSES_BY_KIND[kind] ?? 'no-throw'));
}

/** Converts anything that a method threw to an EngineFailure. */
export function toEngineFailure(method: string, error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  if (error instanceof PluginFailure) return new EngineFailure(error.kind, method, error.message, error.pluginStack);
  const message = error instanceof Error ? error.message : String(error);
  const failure = new EngineFailure('threw', method, message, error instanceof Error ? (error.stack ?? null) : null);
  failure.cause = error;
  return failure;
}
