import type { OwnFailure } from './protocol.js';

/** Why a guest gave no answer: see `GuestFailure`. */
export type FailureKind = OwnFailure | 'timed-out' | 'exited' | 'cancelled';

/**
 * A guest that gave no answer: it threw, took too long, ended, said what is no JSON or too much of it, cannot be loaded,
 * or is not wanted any more. `message` says so in a sentence.
 */
export class GuestFailure extends Error {
  readonly kind: FailureKind;
  /** Where in the guest it happened, for those who look for a mistake. */
  readonly guestStack: string | null;

  constructor(kind: FailureKind, message: string, guestStack: string | null = null) {
    super(message);
    this.name = 'GuestFailure';
    this.kind = kind;
    this.guestStack = guestStack;
  }
}
