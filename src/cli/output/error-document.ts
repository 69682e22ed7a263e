import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** An error, as `--json` prints it on stderr. */
export const errorDocument = jsonDocument('ctx/error', {
  kind: z.enum(['usage', 'input', 'refused', 'bug']),
  what: z.string(),
  where: z.nullable(z.string()),
  hint: z.nullable(z.string()),
  exitCode: z.int(),
});

export type ErrorDocument = z.infer<typeof errorDocument>;
