import * as z from 'zod/mini';

/** The output of `ctx compact --if-needed --json` if no compaction is needed. */
export const compactionCheck = z.object({
  schema: z.literal('ctx/compaction-check'),
  schemaVersion: z.literal(1),
  file: z.string(),
  needed: z.literal(false),
  /** In words. */
  why: z.string(),
  /** The size of the context as Pi counts it: the recorded usage if it is still valid; null if no recorded usage is. */
  tokens: z.nullable(z.number()),
  /** The size above which Pi compacts: the context window without the reserve; null if the window is unknown. */
  threshold: z.nullable(z.number()),
  /** The length of a last answer that was cut off, if Pi's decision depends on the model's unknown output limit; else null. */
  cutOffAt: z.nullable(z.number()),
});
