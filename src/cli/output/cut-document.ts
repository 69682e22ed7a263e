import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The line of JSON Lines that `--max-tokens` cut: before the lines if the last ones are kept, otherwise after them. */
export const cutDocument = jsonDocument('ctx/cut', {
  /** The limit that was set. */
  maxTokens: z.int(),
  /** `last`: the newest entries of a log. */
  kept: z.enum(['first', 'last']),
  /** The number of lines that are missing; null if the rest was not read. */
  leftOut: z.nullable(z.int()),
});

export type CutDocument = z.infer<typeof cutDocument>;
