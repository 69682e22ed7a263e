import * as z from 'zod/mini';
import type { Head } from '#session/heads/head.js';
import { STOCK_EVENTS } from './events.js';
import { hookFailure } from './hook-failure.js';

const entryId = z.nullable(z.string());

const compactionCheck = z.object({
  reason: z.nullable(z.enum(['overflow', 'threshold'])),
  tokens: z.nullable(z.number()),
  threshold: z.nullable(z.number()),
  /** Hooks have changed the envelope: `tokens` is an estimate of it, and not what a provider reported. */
  isEstimated: z.boolean(),
  /** Of an overflow: `retry` once after a compaction, `compact` without a retry, `final` after the retry. */
  recovery: z.nullable(z.enum(['retry', 'compact', 'final'])),
});

/** The part of a request's line that is about extensions of stock Pi. Left out if no handler was called. */
export const extensionFields = {
  /** The calls of handlers, in Pi's order. */
  events: z.optional(
    z.array(
      z.object({
        event: z.enum(STOCK_EVENTS),
        hook: z.string(),
        /** The last entry of the branch. */
        entryId,
        /** `nothing`: it returned nothing; `unchanged`: what it returned changes nothing. */
        outcome: z.enum(['nothing', 'unchanged', 'changed', 'cancelled', 'failed']),
        what: z.nullable(z.string()),
        failure: z.nullable(hookFailure),
      }),
    ),
  ),
  /** The messages in which the request differs from the one without these handlers. */
  changes: z.optional(
    z.array(z.object({ kind: z.enum(['added', 'removed', 'changed', 'moved']), entryId, role: z.string() })),
  ),
  /** Drafts of the entries that handlers appended. */
  appended: z.optional(z.array(z.looseObject({ type: z.string() }))),
  /** Whether Pi would compact before the request and after its turn; null where that was not checked. */
  compaction: z.optional(z.object({ preflight: z.nullable(compactionCheck), evaluation: z.nullable(compactionCheck) })),
};

const extension = z.object(extensionFields);

export type Extension = z.infer<typeof extension>;

export type PiCompactionCheck = z.infer<typeof compactionCheck>;

/** A message that handlers left out, replaced, added or moved. */
export type RequestChange = NonNullable<Extension['changes']>[number];

/** One call of a handler of an extension, and what came of it. */
export interface EventRun extends Omit<NonNullable<Extension['events']>[number], 'entryId'> {
  /** The last entry of the branch. */
  readonly at: Head | null;
}

/** Whether Pi would compact at a step of the pipeline. */
export interface HookCompactionCheck extends PiCompactionCheck {
  readonly isEnabled: boolean;
}
