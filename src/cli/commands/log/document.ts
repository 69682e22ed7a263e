import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { entryPlace, headFields } from '../entry-fields.js';

/** Tokens as a provider counted them, and the cost in dollars. */
const recordedUsage = z.object({
  /** Uncached tokens of the prompt. */
  input: z.number(),
  /** Tokens of the answer. */
  output: z.number(),
  /** Tokens of the prompt that were read from the cache. */
  cacheRead: z.number(),
  /** Tokens of the prompt that were written to the cache. */
  cacheWrite: z.number(),
  /** All tokens, as recorded. */
  total: z.number(),
  /** Dollars; null if it is not recorded. */
  cost: z.nullable(z.number()),
  /** No count of the call is recorded: the numbers follow from totals of the session that are. */
  isDerived: z.optional(z.literal(true)),
});

/** One line of `ctx log`. */
export const logEntryLine = jsonDocument('ctx/log-entry', {
  ...entryPlace,
  ...headFields,
  /** The tool of a tool result; null for other entries, or if it is not recorded. */
  toolName: z.nullable(z.string()),
  /** Whether the call of a tool result failed; null for other entries. */
  isError: z.nullable(z.boolean()),
  /**
   * The tokens of the message that the entry adds, in the unit of `contextTokens`, which grows by them. It is the
   * scaled estimate off the path, and where the context grew by a very different number.
   */
  tokens: z.nullable(z.int()),
  /** The estimate, at four characters for each token. */
  tokensEstimated: z.nullable(z.int()),
  /**
   * The tokens of the context after the entry: the last recorded request, and a calibrated estimate of what came since.
   * null off the path that is logged.
   */
  contextTokens: z.nullable(z.int()),
  /** `recorded`: a provider counted all of `contextTokens`. */
  contextTokensSource: z.nullable(z.enum(['recorded', 'estimated'])),
  /** Recorded, of the provider call; null without one. */
  usage: z.nullable(recordedUsage),
  /** Recorded, in dollars, of all calls of the entry; null if none records a cost. */
  cost: z.nullable(z.number()),
  /**
   * Dollars at the prices of Pi's list, of calls without a recorded cost; null without one, or without a known price.
   */
  costListed: z.nullable(z.number()),
  /** The newest label; null without one. */
  label: z.nullable(z.string()),
  /** The content on one line, shortened. */
  preview: z.string(),
  /** Whether the entry is on the path to HEAD. */
  isActive: z.boolean(),
});

export type LogEntryLine = z.infer<typeof logEntryLine>;
