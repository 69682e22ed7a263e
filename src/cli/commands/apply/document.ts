import * as z from 'zod/mini';
import { breakEvenDocument } from '#analysis/cache/break-even.js';
import { lossDocument } from '#analysis/loss/document.js';
import { planDocument } from '#change/plan/plan.js';
import { pruneDocument } from '#change/prune/document.js';

/** A plan: as `--plan` saves it, or as a dry run prints it, with its effects. Both can be applied. */
export const printedPlan = z.extend(planDocument, {
  /** Of a dry run: the tokens that the change makes uncached, and those that it saves. */
  cache: z.exactOptional(breakEvenDocument),
  /** Of a dry run: the losses of a compaction; null for other plans. */
  loss: z.exactOptional(z.nullable(lossDocument)),
  /** Of a dry run of `ctx prune`: its decisions, message by message. */
  prune: z.exactOptional(pruneDocument),
  /** Of a dry run: sentences that the user should read. */
  notes: z.exactOptional(z.array(z.string())),
});
