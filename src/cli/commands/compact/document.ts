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
  /** The last answer was cut off after so many tokens, and nobody has said whether the model can write more, for which Pi would compact; null otherwise. */
  cutOffAt: z.nullable(z.number()),
});
