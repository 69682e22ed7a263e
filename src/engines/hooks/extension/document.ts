import * as z from 'zod/mini';
import { idText } from '#session/table/head.js';
import type { HookRequest } from '../hook-request.js';
import { STOCK_EVENTS } from './emit.js';

/** A hook that gave no answer. */
export const failure = z.object({
  hook: z.string(),
  kind: z.enum(['threw', 'timed-out', 'exited', 'not-json', 'too-long', 'cancelled', 'not-loaded']),
  message: z.string(),
});

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
export const ofExtension = {
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
        failure: z.nullable(failure),
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

const extension = z.object(ofExtension);

/** The calls of extensions at a request, as JSON. */
export function extensionOf({ events, changes, drafts, compaction }: HookRequest): z.infer<typeof extension> {
  const { preflight, evaluation } = compaction;
  const isChecked = preflight !== null || evaluation !== null;
  return {
    ...(events.length === 0 ? {} : { events: events.map(({ at, ...run }) => ({ ...run, entryId: idText(at?.id) })) }),
    ...(changes.length === 0 ? {} : { changes: [...changes] }),
    ...(drafts.length === 0 ? {} : { appended: drafts.map((draft) => ({ ...draft, type: String(draft['type']) })) }),
    ...(isChecked ? { compaction: { preflight: checkOf(preflight), evaluation: checkOf(evaluation) } } : {}),
  };
}

function checkOf(check: HookRequest['compaction']['preflight']): z.infer<typeof compactionCheck> | null {
  if (check === null) return null;
  const { reason, tokens, threshold, isEstimated, recovery } = check;
  return { reason, tokens, threshold, isEstimated, recovery };
}
