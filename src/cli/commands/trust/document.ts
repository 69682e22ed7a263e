import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The configurations that the user allows to act, and what happened to one of them. */
export const trustDocument = jsonDocument('ctx/trust', {
  /** The configuration that the command is about; null with `--list`. */
  file: z.nullable(z.string()),
  /** The acts that need a permission, each as a phrase. */
  acts: z.readonly(z.array(z.string())),
  /** Whether it may do that now. */
  allowed: z.boolean(),
  /** Every configuration that was allowed. */
  trusted: z.array(
    z.strictObject({
      file: z.string(),
      /** Whether its content is still what was allowed; after a change it may not act. */
      unchanged: z.boolean(),
    }),
  ),
});

export type TrustDocument = z.infer<typeof trustDocument>;
