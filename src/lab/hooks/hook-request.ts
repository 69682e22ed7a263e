import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Head } from '#session/heads/head.js';
import type { CompactionCheckDocument, HandlerCall, RequestChange, Reuse } from './document.js';
import type { HookBoundary } from './run-boundary.js';
import type { HookedMessage } from './run-message-handlers.js';

/** A request with and without hooks. */
export interface BothRequests {
  readonly sent: EnvelopeContent;
  readonly without: EnvelopeContent;
}

/** A boundary, and its effect if it were written. */
export interface BoundaryRun extends HookBoundary {
  /** The entry before it. */
  readonly at: Head | null;
  /** Whether the hooks, reloaded, leave their own result unchanged; null if that was not requested. */
  readonly idempotent: boolean | null;
  /** The bytes of the lines that it would add to the file. */
  readonly bytes: number;
}

/** A complete message, and the result of the hooks. */
export interface MessageRun extends HookedMessage {
  readonly head: Head;
  readonly idempotent: boolean | null;
}

/** One call of a handler of an extension, and its result. */
export interface EventRun extends Omit<HandlerCall, 'entryId'> {
  /** The last entry of the branch. */
  readonly at: Head | null;
}

/** Whether Pi would compact at a step of the pipeline. */
export interface HookCompactionCheck extends CompactionCheckDocument {
  readonly isEnabled: boolean;
}

export interface HookRequest {
  readonly number: number;
  readonly at: Head | null;
  readonly answer: Head | null;
  /** Messages in the context that replay gives, and their estimated tokens. */
  readonly replayed: { readonly messages: number; readonly tokens: number };
  readonly messages: readonly MessageRun[];
  readonly boundaries: readonly BoundaryRun[];
  /** The reasons why a provider would reject it after the hooks. */
  readonly refusals: readonly string[];
  /** null where the request is not sent, since a hook failed, or where only messages are looked at. */
  readonly cache: (Reuse & { readonly withoutHooks: Reuse }) | null;
  /** The context window in tokens; null where it is unknown. */
  readonly limit: number | null;
  /** The calls of handlers of stock Pi, in order. */
  readonly events: readonly EventRun[];
  /** The messages in which the request differs because of them. */
  readonly changes: readonly RequestChange[];
  /** Before the request, and after its turn; null where that was not checked. */
  readonly compaction: {
    readonly preflight: HookCompactionCheck | null;
    readonly evaluation: HookCompactionCheck | null;
  };
  /** Drafts of entries that handlers of stock Pi appended. */
  readonly drafts: readonly JsonObject[];
}
