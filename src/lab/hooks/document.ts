import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { envelopeChange } from './envelope-change.js';
import { STOCK_EVENTS } from './events.js';

const entryId = z.nullable(z.string());

/** A hook that gave no answer. */
const hookFailure = z.object({
  hook: z.string(),
  kind: z.enum(['threw', 'timed-out', 'exited', 'not-json', 'too-long', 'cancelled', 'not-loaded']),
  message: z.string(),
});

const violation = z.object({
  hook: z.string(),
  /** The rule of the boundary: see docs/lab/hooks.md. */
  rule: z.string(),
  /** The place of the op in its patch, from 0; null where it is not about an op. */
  op: z.nullable(z.int()),
  message: z.string(),
});

const troubles = { failures: z.array(hookFailure), violations: z.array(violation) };

const hookTransform = z.object({
  hook: z.string(),
  transformerName: z.string(),
  patch: z.array(z.looseObject({ op: z.string() })),
  display: z.nullable(z.looseObject({ title: z.string() })),
  /** Markdown: what the module's own renderer makes of it. */
  rendered: z.nullable(z.string()),
});

const boundary = z.object({
  reason: z.enum(['before_request', 'ephemeral', 'turn_end']),
  /** The entry before it. */
  entryId,
  transforms: z.array(hookTransform),
  ...troubles,
  /** null: nothing changes, or nothing of it is applied since a hook failed. */
  change: z.nullable(envelopeChange),
  /** Whether the hooks, reloaded, leave their own result unchanged; null if that was not requested. */
  idempotent: z.nullable(z.boolean()),
  /** The bytes of the lines that the boundary adds to the file, if it is written. */
  bytes: z.int(),
});

const message = z.object({
  entryId,
  role: z.string(),
  kind: z.enum(['none', 'replaced', 'dropped']),
  /** The modules that changed it. */
  by: z.array(z.string()),
  /** null where it stays as it is, or is left out. */
  after: z.nullable(z.looseObject({ role: z.string() })),
  ...troubles,
  idempotent: z.nullable(z.boolean()),
});

/** Estimated tokens. */
const reuse = {
  promptTokens: z.int(),
  /** The cached part. */
  prefixTokens: z.int(),
  /** The uncached part. */
  newTokens: z.int(),
};

const compactionCheck = z.object({
  reason: z.nullable(z.enum(['overflow', 'threshold'])),
  tokens: z.nullable(z.number()),
  threshold: z.nullable(z.number()),
  /** Hooks have changed the envelope: `tokens` is an estimate of it, and not what a provider reported. */
  isEstimated: z.boolean(),
  /** The answer to an overflow: `retry` once after a compaction, `compact` without a retry, `final` after the retry. */
  recovery: z.nullable(z.enum(['retry', 'compact', 'final'])),
});

/** One call of a handler of stock Pi, and its result. */
export type HandlerCall = z.infer<typeof handlerCall>;

const handlerCall = z.object({
  event: z.enum(STOCK_EVENTS),
  hook: z.string(),
  /** The last entry of the branch. */
  entryId,
  /** `nothing`: it returned nothing; `unchanged`: what it returned changes nothing. */
  outcome: z.enum(['nothing', 'unchanged', 'changed', 'cancelled', 'failed']),
  what: z.nullable(z.string()),
  failure: z.nullable(hookFailure),
});

/** A message that handlers left out, replaced, added or moved. */
export type RequestChange = z.infer<typeof requestChange>;

const requestChange = z.object({ kind: z.enum(['added', 'removed', 'changed', 'moved']), entryId, role: z.string() });

/** The part of a request's line that is about extensions of stock Pi. Left out if no handler was called. */
const extensionFields = {
  /** The calls of handlers, in Pi's order. */
  events: z.optional(z.array(handlerCall)),
  /** The messages in which the request differs from the one without these handlers. */
  changes: z.optional(z.array(requestChange)),
  /** Drafts of the entries that handlers appended. */
  appended: z.optional(z.array(z.looseObject({ type: z.string() }))),
  /** Whether Pi would compact before the request and after its turn; null where that was not checked. */
  compaction: z.optional(z.object({ preflight: z.nullable(compactionCheck), evaluation: z.nullable(compactionCheck) })),
};

/** One line of `ctx hooks`: a request with the hooks. */
export const hookRequest = jsonDocument('ctx/hook-request', {
  /** Counted from 1 along the path. */
  number: z.int(),
  /** The entry at which it is built. */
  entryId,
  line: z.nullable(z.int()),
  /** The message that answers it; null where none is recorded. */
  answerId: entryId,
  replayed: z.object({ messages: z.int(), tokens: z.int() }),
  boundaries: z.array(boundary),
  /** The reasons why a provider would reject the request after the hooks, a sentence each. */
  refusals: z.array(z.string()),
  messages: z.array(message),
  /**
   * The tokens that the provider has cached from the request before; for one request alone, from the same without
   * hooks. null: it is not sent.
   */
  cache: z.nullable(z.object({ ...reuse, withoutHooks: z.object(reuse) })),
  ...extensionFields,
  /** The steps, with `--trace`. */
  trace: z.optional(z.array(z.object({ step: z.string(), what: z.string() }))),
});

/** The calls of the handlers of one module for one event. */
export type HandlerCount = z.infer<typeof handlerCount>;

const handlerCount = z.object({
  hook: z.string(),
  event: z.enum(STOCK_EVENTS),
  calls: z.int(),
  changed: z.int(),
  failed: z.int(),
  /** Calls that returned nothing. */
  nothing: z.int(),
});

/** The last line of `ctx hooks --json`: the totals of all requests. */
export const hookSummary = jsonDocument('ctx/hook-summary', {
  file: z.string(),
  hooks: z.array(
    z.object({
      file: z.string(),
      /** The registered events, in order. */
      events: z.array(z.string()),
      /** Events that Pi does not have: their handlers never run. */
      unknownEvents: z.optional(z.array(z.string())),
      renderers: z.array(z.string()),
      /** Registrations and calls that do nothing where no agent runs. */
      notRun: z.array(z.string()),
    }),
  ),
  requests: z.int(),
  /** Requests that a hook kept from being sent. */
  failed: z.int(),
  /** Requests that were answered, and after which a `turn_end` hook failed. */
  failedAfter: z.int(),
  /** Requests that a provider would reject as the hooks have left them. */
  refused: z.int(),
  /** Requests of the path that were not looked at, since a hook has ended. */
  notRun: z.int(),
  transforms: z.int(),
  /** The bytes of the transforms, if each is written. */
  persistedBytes: z.int(),
  /** The bytes of the log of uncached messages, if each is written. */
  loggedBytes: z.int(),
  sessionBytes: z.int(),
  /** `linear`: about as much at every request; `quadratic`: mostly more than at the one before. */
  growth: z.enum(['none', 'once', 'linear', 'quadratic']),
  /** Whether the hooks leave their own result unchanged, by reason; null where that was not asked. */
  idempotent: z.object({
    before_request: z.nullable(z.boolean()),
    turn_end: z.nullable(z.boolean()),
    message: z.nullable(z.boolean()),
  }),
  messages: z.object({ seen: z.int(), replaced: z.int(), dropped: z.int() }),
  /** The handlers of stock Pi, by module and event: the number of their calls, and of each result. */
  handlers: z.optional(z.array(handlerCount)),
  /** Estimated uncached tokens over all requests. */
  newTokens: z.object({ withHooks: z.int(), withoutHooks: z.int() }),
  notes: z.array(z.string()),
});

export type HookRequestLine = z.infer<typeof hookRequest>;

export type HookSummary = z.infer<typeof hookSummary>;

export type BoundaryDocument = z.infer<typeof boundary>;

export type MessageDocument = z.infer<typeof message>;

/** The result of one handler for a context event that keeps every rule. */
export type Transform = z.infer<typeof hookTransform>;

/** A rule that the answer of a hook breaks. */
export type Violation = z.infer<typeof violation>;

export type HookFailure = z.infer<typeof hookFailure>;

/** The cached and the uncached part of a prompt. */
export type Reuse = Omit<NonNullable<HookRequestLine['cache']>, 'withoutHooks'>;

/** The part of a request's line that is about extensions of stock Pi. */
export type ExtensionFields = Pick<HookRequestLine, keyof typeof extensionFields>;

export type CompactionCheckDocument = z.infer<typeof compactionCheck>;
