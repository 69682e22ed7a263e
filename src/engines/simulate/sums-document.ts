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
  /** Of the input, in dollars, at the rates that the session records, else at listed ones; null where neither is known. */
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

const shrinks = z.object({
  count: z.int(),
  /** Of those that tell what they took away: how much that is. */
  tokensBefore: z.number(),
  tokensAfter: z.number(),
});

/** What an engine did, and what came of it. */
export const counts = {
  compactions: shrinks,
  prunes: shrinks,
  /** Tool results that were left out or shortened at some time. Estimated by four characters a token. */
  lost: z.object({ results: z.int(), tokensEstimated: z.number() }),
  /** Later calls for a file or command whose results had been left out or shortened by then. */
  reread: z.object({ calls: z.int(), tokensEstimated: z.number() }),
  /** Requests that were over the budget, also after a compaction. */
  overflows: z.int(),
  /** Requests that a provider refuses: empty ones, and those that break a rule of `ctx check`. */
  unsendable: z.int(),
};
