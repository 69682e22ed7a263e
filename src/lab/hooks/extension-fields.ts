import * as z from 'zod/mini';
import { formatId, type Head } from '#session/heads/head.js';
import { STOCK_EVENTS } from './extension/emit.js';
import type { HookRequest } from './hook-request.js';

/** A hook that gave no answer. */
export const hookFailure = z.object({
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

type Extension = z.infer<typeof extension>;

export type HookFailure = z.infer<typeof hookFailure>;

type CompactionCheck = z.infer<typeof compactionCheck>;

/** A message that handlers left out, replaced, added or moved. */
export type RequestChange = NonNullable<Extension['changes']>[number];

/** One call of a handler of an extension, and what came of it. */
export interface EventRun extends Omit<NonNullable<Extension['events']>[number], 'entryId'> {
  /** The last entry of the branch. */
  readonly at: Head | null;
}

/** Whether Pi would compact at a step of the pipeline. */
export interface HookCompactionCheck extends CompactionCheck {
  readonly isEnabled: boolean;
}

/** The calls of extensions at a request, as JSON. */
export function toExtensionFields({ events, changes, drafts, compaction }: HookRequest): Extension {
  const { preflight, evaluation } = compaction;
  const isChecked = preflight !== null || evaluation !== null;
  return {
    ...(events.length === 0 ? {} : { events: events.map(({ at, ...run }) => ({ ...run, entryId: formatId(at?.id) })) }),
    ...(changes.length === 0 ? {} : { changes: [...changes] }),
    ...(drafts.length === 0 ? {} : { appended: drafts.map((draft) => ({ ...draft, type: String(draft['type']) })) }),
    ...(isChecked
      ? { compaction: { preflight: toCompactionCheck(preflight), evaluation: toCompactionCheck(evaluation) } }
      : {}),
  };
}

function toCompactionCheck(check: HookCompactionCheck | null): CompactionCheck | null {
  if (check === null) return null;
  const { isEnabled: _, ...shown } = check;
  return shown;
}
