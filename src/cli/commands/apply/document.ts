import * as z from 'zod/mini';
import { breakEvenDocument } from '#analysis/cache/break-even.js';
import { lossDocument } from '#analysis/loss/document.js';
import { planDocument } from '#change/plan/plan.js';
import { pruneDocument } from '#change/prune/document.js';

/** A plan: as `--plan` saves it, or as a dry run prints it, with its effects. Both can be applied. */
export const printedPlan = z.extend(planDocument, {
  /** The tokens that the change makes uncached, and those that it saves. Only a dry run has them. */
  cache: z.exactOptional(breakEvenDocument),
  /** The losses of a compaction, in a dry run; null for other plans. */
  loss: z.exactOptional(z.nullable(lossDocument)),
  /** The decisions of `ctx prune`, message by message, in a dry run. */
  prune: z.exactOptional(pruneDocument),
  /** The sentences of a dry run that the user should read. */
  notes: z.exactOptional(z.array(z.string())),
});
