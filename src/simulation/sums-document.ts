import * as z from 'zod/mini';

const nullableNumber = z.nullable(z.number());

/** Tokens as providers count them: estimated, at what the session records of how they count. */
export const sums = {
  /** Requests that were billed, or may have been. */
  requests: z.int(),
  /** Of the largest request. */
  peakTokens: z.number(),
  meanTokens: z.number(),
  /** Of all requests together. */
  inputTokens: z.number(),
  /** Of these, read from the cache. */
  cachedTokens: z.number(),
  /** Of these, not read from the cache: billed in full. */
  billedTokens: z.number(),
  /** Of these, sent with the request before and billed once more. */
  rebilledTokens: z.number(),
  /** Of the input, in dollars, at the rates that the session records; null where it does not. */
  cost: nullableNumber,
  /** Of the answers, which are the same under every engine. */
  outputTokens: z.number(),
  outputCost: nullableNumber,
  /** Calls of a model that write summaries: their input, none of it cached, and their output. */
  summaries: z.object({
    calls: z.int(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cost: nullableNumber,
  }),
  /** Of input, answers and summaries; null where one of them is not known. */
  totalCost: nullableNumber,
};
