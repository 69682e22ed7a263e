import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { discardedParts } from '../copy-fields.js';

/** The output of `ctx migrate --json`. Lines, offsets and lengths are those of the old file. */
export const migrationDocument = jsonDocument('ctx/migration', {
  file: z.string(),
  /** The version in the file; null for a value that is no number. */
  version: z.nullable(z.number()),
  /** Whether the request changes anything. */
  isNeeded: z.boolean(),
  /** Compactions without an equivalent transform. */
  legacyCompactions: z.int(),
  /** The new file; null if nothing was written. */
  output: z.nullable(z.string()),
  /** The copy of the old file, if the new one replaced it. */
  backup: z.nullable(z.string()),
  /** The file of lost bytes, one part after the other. */
  lostFile: z.nullable(z.string()),
  /** Bytes. */
  oldSize: z.int(),
  /** null for `--check`, which plans nothing. */
  newSize: z.nullable(z.int()),
  /** Lines that are not in the new file as they were. */
  changedLines: z.nullable(z.int()),
  /** Transforms that are new. */
  transforms: z.array(
    z.object({
      transformId: z.nullable(z.string()),
      /** The entry that it replaces or precedes. */
      entryId: z.nullable(z.string()),
      line: z.int(),
      /** `edit`: an edit acts in Pi on what a compaction has passed by, and the transform does that. */
      for: z.enum(['compaction', 'edit']),
      ops: z.array(z.string()),
    }),
  ),
  lost: discardedParts,
});

export type MigrationDocument = z.infer<typeof migrationDocument>;
