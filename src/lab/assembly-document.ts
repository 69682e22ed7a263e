import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { envelopeContent } from '#context/replay/content.js';
import { tokenCount } from '#context/replay/envelope.js';

const entryId = z.nullable(z.string());

/** A piece of the request, with its source. All tokens are estimated. */
const contribution = z.object({
  /** The injector; `session` for what is sent as it is recorded; or the engine. */
  by: z.string(),
  place: z.enum(['system', 'tools', 'leading', 'conversation', 'tail']),
  /** How long it stays as it is; null where the engine does not say. */
  cache: z.nullable(z.enum(['stable', 'session', 'dynamic'])),
  /** Names of the parts or tools that it is. */
  names: z.array(z.string()),
  /** The number of messages that the contribution makes, or takes part in. */
  messages: z.int(),
  tokens: z.int(),
  /** The most that it may be; null: it has none. */
  maxTokens: z.nullable(z.int()),
  /** The tokens before a cut; null: nothing was cut. */
  cutFrom: z.nullable(z.int()),
  /** Names of what was left out whole. */
  leftOut: z.array(z.string()),
});

/** The output of `ctx engine run`: a request as an engine makes it. */
export const assemblyDocument = jsonDocument('ctx/assembly', {
  session: z.object({ id: z.string(), file: z.string() }),
  engine: z.string(),
  at: z.object({ entryId, line: z.nullable(z.int()) }),
  /** Counted from 1 along the path. */
  request: z.int(),
  /** The context window in tokens; null if it is unknown. */
  budget: z.nullable(z.int()),
  /** Estimated. */
  tokens: tokenCount,
  /** The statements of the engine. */
  estimatedTokens: z.number(),
  /** The tokens that were compared with the budget, by `promptAuthority`. */
  checkedTokens: z.number(),
  promptAuthority: z.enum(['assembled', 'preassembly_may_overflow']),
  /** Whether the request was over the budget, and was assembled once more after a compaction. */
  retried: z.optional(z.boolean()),
  /** Whether the request is over the budget. */
  overflow: z.boolean(),
  /** The reasons why a provider would reject it, by the engine's fault. */
  refusals: z.array(z.string()),
  placed: z.array(contribution),
  ...envelopeContent.shape,
  /** The origin of each message, the cached ones first. */
  origins: z.array(
    z.object({
      /**
       * `entry`: unchanged; `shortened`; `summary`: of several messages; otherwise an injector's placement, or
       * `engine`.
       */
      by: z.enum(['entry', 'shortened', 'summary', 'leading', 'tail', 'engine']),
      entryId,
      tokens: z.int(),
    }),
  ),
  /** Changes of the context by the engine on the way to this request. */
  deeds: z.array(
    z.object({
      request: z.int(),
      kind: z.enum(['compaction', 'prune', 'rewrite']),
      reason: z.string(),
      tokensBefore: z.nullable(z.number()),
      tokensAfter: z.nullable(z.number()),
    }),
  ),
  /** The answer of the engine to a call of one of its tools; absent: no call was made. */
  call: z.optional(
    z.object({
      toolName: z.string(),
      input: z.record(z.string(), z.unknown()),
      content: z.array(z.record(z.string(), z.unknown())),
      isError: z.boolean(),
    }),
  ),
});

export type AssemblyDocument = z.infer<typeof assemblyDocument>;
