import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { partOption } from '../part-options.js';

/** The output of `ctx prune --explain`, and a line of `ctx prune --list`. */
export const strategyPage = jsonDocument('ctx/strategy', {
  name: z.string(),
  summary: z.string(),
  /** Markdown. */
  help: z.string(),
  options: z.array(partOption),
});

export type StrategyPage = z.infer<typeof strategyPage>;
