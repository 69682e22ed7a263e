import * as z from 'zod/mini';
import { envelopeContent } from '#context/replay/content.js';
import { tokenCount } from '#context/replay/envelope.js';

const entryId = z.nullable(z.string());

/** One thing that somebody has put into the request. All tokens are estimated. */
const placed = z.object({
  /** The injector; `session` for what is sent as it is recorded; or the engine. */
  by: z.string(),
  place: z.enum(['system', 'tools', 'leading', 'conversation', 'tail']),
  /** How long it stays as it is; null where the engine does not say. */
  cache: z.nullable(z.enum(['stable', 'session', 'dynamic'])),
  /** Names of the parts or tools that it is. */
  names: z.array(z.string()),
  /** Of how many messages it is one or all. */
  messages: z.int(),
  tokens: z.int(),
  /** The most that it may be; null: it has none. */
  maxTokens: z.nullable(z.int()),
  /** What it was before it was cut to that; null: it was not. */
  cutFrom: z.nullable(z.int()),
  /** Names of what was left out whole. */
  leftOut: z.array(z.string()),
});

/** What `ctx assemble` prints: a request as an engine makes it. */
export const assemblyDocument = z.object({
  schema: z.literal('ctx/assembly'),
  schemaVersion: z.literal(1),
  session: z.object({ id: z.string(), file: z.string() }),
  engine: z.string(),
  at: z.object({ entryId, line: z.nullable(z.int()) }),
  /** Counted from 1 along the path. */
  request: z.int(),
  /** Tokens that the model can take; null where nobody knows. */
  budget: z.nullable(z.int()),
  /** Estimated. */
  tokens: tokenCount,
  /** What the engine says. */
  estimatedTokens: z.number(),
  /** What was compared with the budget, by `promptAuthority`. */
  checkedTokens: z.number(),
  promptAuthority: z.enum(['assembled', 'preassembly_may_overflow']),
  /** It is over the budget. */
  overflow: z.boolean(),
  placed: z.array(placed),
  ...envelopeContent.shape,
  /** Where each message comes from, the cached ones first. */
  origins: z.array(
    z.object({
      /** `entry`: as it was said; `shortened`: the same in short; `summary`: of several; else an injector's place, or `engine`. */
      by: z.enum(['entry', 'shortened', 'summary', 'leading', 'tail', 'engine']),
      entryId,
      tokens: z.int(),
    }),
  ),
  /** What the engine has done to the context on the way to this request. */
  deeds: z.array(
    z.object({
      request: z.int(),
      kind: z.enum(['compaction', 'prune', 'rewrite']),
      reason: z.string(),
      tokensBefore: z.nullable(z.number()),
      tokensAfter: z.nullable(z.number()),
    }),
  ),
});

export type AssemblyDocument = z.infer<typeof assemblyDocument>;
