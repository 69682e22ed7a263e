import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { FailureKind } from '#platform/guest/failure.js';

export const CONTEXT_REASONS = ['before_request', 'ephemeral', 'turn_end'] as const;
export type ContextReason = (typeof CONTEXT_REASONS)[number];

/** What a run can be about. */
export const REASONS = [...CONTEXT_REASONS, 'message'] as const;
export type Reason = (typeof REASONS)[number];

/** One function that a module has registered for an event. */
export interface Handler {
  /** The module, as the user named it. */
  readonly hook: string;
  readonly event: string;
  /** Gives what it returns. Rejects with a GuestFailure. */
  call(event: JsonObject): Promise<unknown>;
}

/** Modules of hooks that have been loaded. */
export interface HookHost {
  readonly handlers: readonly Handler[];
  /** What a renderer of a module makes of a transform: Markdown; null where it has no such renderer. Rejects with a GuestFailure. */
  render(hook: string, id: string, transform: JsonObject): Promise<string | null>;
}

/** A hook that gave no answer. */
export interface HookFailure {
  readonly hook: string;
  readonly kind: FailureKind;
  readonly message: string;
}

/** A rule that the answer of a hook breaks. */
export interface Violation {
  readonly hook: string;
  readonly rule: string;
  /** The place of the op in its patch, from 0; null where it is not about an op. */
  readonly op: number | null;
  readonly message: string;
}

/** What one handler returned for a context event, once every rule was kept. */
export interface Transform {
  readonly hook: string;
  readonly transformerName: string;
  readonly patch: readonly JsonObject[];
  readonly display: JsonObject | null;
  /** What the module's renderer makes of it. */
  readonly rendered: string | null;
}

/** What the handlers of a context event made of an envelope. */
export interface Boundary {
  readonly reason: ContextReason;
  readonly transforms: readonly Transform[];
  readonly failures: readonly HookFailure[];
  readonly violations: readonly Violation[];
  readonly before: EnvelopeContent;
  /** The same as before where something failed: nothing of it is applied then. */
  readonly after: EnvelopeContent;
}

export function isFatal({ failures, violations }: Pick<Boundary, 'failures' | 'violations'>): boolean {
  return failures.length + violations.length > 0;
}

/** Whether a boundary failed that lies before the request: it is not sent then. A turn ends when it was answered. */
export function keepsFromSending(boundary: Pick<Boundary, 'reason' | 'failures' | 'violations'>): boolean {
  return boundary.reason !== 'turn_end' && isFatal(boundary);
}
