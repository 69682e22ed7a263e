import * as z from 'zod/mini';

/** A session, and the new file that is made of it. */
export const copyFields = {
  file: z.string(),
  /** The new file; null if nothing was written. */
  output: z.nullable(z.string()),
};

/** Parts of the old file that are not in the new one. */
export const discardedParts = z.array(
  z.object({
    rule: z.string(),
    line: z.int(),
    offset: z.int(),
    /** The length in the file of lost bytes. */
    length: z.int(),
  }),
);
