import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The output of `ctx compact --json` if there is nothing to compact, or with `--if-needed` if none is due. */
export const compactionCheck = jsonDocument('ctx/compaction-check', {
  file: z.string(),
  needed: z.literal(false),
  /** The reason, in words. */
  why: z.string(),
  /** The size of the context as Pi counts it: the recorded usage if it is still valid; null if no recorded usage is. */
  tokens: z.nullable(z.number()),
  /** The size above which Pi compacts: the context window without the reserve; null if the window is unknown. */
  threshold: z.nullable(z.number()),
  /**
   * The length of a last answer that was cut off, if Pi's decision depends on the model's unknown output limit; else
   * null.
   */
  cutOffAt: z.nullable(z.number()),
});

export type CompactionCheck = z.infer<typeof compactionCheck>;
