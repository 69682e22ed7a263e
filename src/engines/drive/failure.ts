import { GuestFailure, type FailureKind } from '#platform/guest/failure.js';
import type { Clause } from '../check/clauses.js';

/** `result`: it gave what the contract does not allow; `promise`: it broke one that it made before. */
export type EngineFailureKind = FailureKind | 'result' | 'promise';

/** A method of an engine that threw, gave no answer or the wrong one. `message` says so in a sentence. */
export class EngineFailure extends Error {
  constructor(
    readonly kind: EngineFailureKind,
    /** `create`: the engine could not even be made. */
    readonly method: string,
    message: string,
    /** Where in the engine it happened, for those who look for a mistake. */
    readonly engineStack: string | null = null,
    /** The sentence of the contract, where kind and method do not say which it is. */
    readonly clause: Clause | null = null,
  ) {
    super(message);
    this.name = 'EngineFailure';
  }
}

const CLAUSE_OF: Readonly<Partial<Record<EngineFailureKind, Clause>>> = {
  threw: 'no-throw',
  exited: 'no-throw',
  'timed-out': 'in-time',
  'not-json': 'answer-type',
  result: 'answer-type',
};

/** The sentence of the contract that a failure breaks; null: none, as the user interrupted it. */
export function clauseOf({ kind, method, clause }: EngineFailure): Clause | null {
  if (kind === 'cancelled') return null;
  return clause ?? (method === 'create' ? 'loads' : (CLAUSE_OF[kind] ?? 'no-throw'));
}

/** Whatever came out of a method. */
export function failureOf(method: string, error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  if (error instanceof GuestFailure) return new EngineFailure(error.kind, method, error.message, error.guestStack);
  const message = error instanceof Error ? error.message : String(error);
  return new EngineFailure('threw', method, message, error instanceof Error ? (error.stack ?? null) : null);
}
