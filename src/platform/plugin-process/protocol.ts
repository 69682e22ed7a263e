/** The kind of a guest's module. */
export type GuestKind = 'hook' | 'engine';

/** Something in the arguments of a call that is no JSON, and is made anew in the guest; `at` says where: `[0, 'signal']`. */
export type RemadeArgument =
  /** An AbortSignal, which is aborted when the call takes too long or is not wanted any more. */
  | { readonly at: readonly (string | number)[]; readonly kind: 'signal' }
  /** A Set of what the list there holds. */
  | { readonly at: readonly (string | number)[]; readonly kind: 'set' }
  /** A function that asks a handler of the host. */
  | { readonly at: readonly (string | number)[]; readonly kind: 'function'; readonly handler: string };

/** A message of the host. Values are JSON text: what arrives is a copy, and can be nothing but data. */
export type ToGuest =
  | { readonly type: 'load'; readonly file: string; readonly kind: GuestKind }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly method: string;
      /** A list. */
      readonly args: string;
      readonly places: readonly RemadeArgument[];
      /** Members of the answer that are functions: they stay in the guest, and a name to call them by takes their place. */
      readonly keeps: readonly string[];
      /** Whether to look if the arguments were changed. */
      readonly watchesInput: boolean;
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'told'; readonly id: number; readonly ok: boolean; readonly text: string | null }
  | { readonly type: 'close' };

/** Why a guest has no answer of its own accord. */
export type OwnFailure = 'threw' | 'not-json' | 'too-long' | 'not-loaded';

/** A message of a guest; `text` is JSON, null for undefined. */
export type FromGuest =
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly text: string | null;
      /** Its arguments are not what they were; that changes nothing at the host. */
      readonly changedInput: boolean;
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly kind: OwnFailure;
      readonly message: string;
      readonly stack: string | null;
    }
  | { readonly type: 'ask'; readonly id: number; readonly name: string; readonly text: string };

/** The id of the answer to `load`. */
export const LOADING = 0;

/** UTF-16 code units of JSON. */
export const LONGEST_ANSWER = 64_000_000;

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
