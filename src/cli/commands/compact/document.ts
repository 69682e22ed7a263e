import * as z from 'zod/mini';

/** The output of `ctx compact --if-needed --json` where nothing has to be done. */
export const compactionCheck = z.object({
  schema: z.literal('ctx/compaction-check'),
  schemaVersion: z.literal(1),
  file: z.string(),
  needed: z.literal(false),
  /** In words. */
  why: z.string(),
  /** Of the context, as Pi counts: what a provider reported where that holds. null: nothing that is recorded holds. */
  tokens: z.nullable(z.number()),
  /** More than that is too much: the context window less what is reserved. null: the window is not known. */
  threshold: z.nullable(z.number()),
  /** The length at which the last answer was cut off, if the model's own output limit, on which Pi's decision depends, is unknown; else null. */
  cutOffAt: z.nullable(z.number()),
});
