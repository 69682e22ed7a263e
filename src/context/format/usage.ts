import * as z from 'zod/mini';

const count = z.optional(z.number());

/** Tokens and dollars of one call, as a provider reported them. Old versions omit some of the counts. */
export const usage = z
  .looseObject({
    input: count,
    output: count,
    cacheRead: count,
    /** Part of `cacheWrite`. */
    cacheWrite1h: count,
    cacheWrite: count,
    /** Part of `output`. */
    reasoning: count,
    totalTokens: count,
    cost: z.looseObject({
      input: count,
      output: count,
      cacheRead: count,
      cacheWrite: count,
      total: count,
      totalFromProvider: z.optional(z.boolean()),
    }),
  })
  .register(z.globalRegistry, { id: 'usage' });
