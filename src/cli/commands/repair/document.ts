import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { copyFields, discardedParts } from '../copy-fields.js';

/** The output of `ctx repair --json`. Lines, offsets and lengths are those of the old file. */
export const repairDocument = jsonDocument('ctx/repair', {
  ...copyFields,
  /** The file of lost bytes, one part after the other; null if none was written. Empty if nothing is lost. */
  lostFile: z.nullable(z.string()),
  /** Bytes. */
  oldSize: z.int(),
  newSize: z.int(),
  repairs: z.array(
    z.object({
      /** The rule of the repaired finding. */
      rule: z.string(),
      /** The repair. */
      message: z.string(),
      /** The id that the entry had before. */
      entryId: z.nullable(z.string()),
      line: z.int(),
      /** The byte of the file at which the line or a part of it begins. */
      offset: z.int(),
      length: z.int(),
    }),
  ),
  lost: discardedParts,
});

export type RepairDocument = z.infer<typeof repairDocument>;
