import { GuestFailure, type FailureKind } from '../guest/failure.js';

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
  ) {
    super(message);
    this.name = 'EngineFailure';
  }
}

/** Whatever came out of a method. */
export function failureOf(method: string, error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  if (error instanceof GuestFailure) return new EngineFailure(error.kind, method, error.message, error.guestStack);
  const message = error instanceof Error ? error.message : String(error);
  return new EngineFailure('threw', method, message, error instanceof Error ? (error.stack ?? null) : null);
}
