import * as z from 'zod/mini';

/** What `ctx check --fix --json` prints. Lines, offsets and lengths are those of the old file. */
export const repairReport = z.object({
  schema: z.literal('ctx/repair'),
  schemaVersion: z.literal(1),
  file: z.string(),
  /** The new file; null where nothing was written. */
  output: z.nullable(z.string()),
  /** The file that holds the lost bytes, one part behind the other; null where nothing was lost or written. */
  lostFile: z.nullable(z.string()),
  /** In bytes. */
  oldSize: z.int(),
  newSize: z.int(),
  repairs: z.array(
    z.object({
      /** The rule that finds what was wrong. */
      rule: z.string(),
      /** What was done about it. */
      message: z.string(),
      /** The id that the entry had before. */
      entryId: z.nullable(z.string()),
      line: z.int(),
      /** Of the line or a part of it, in bytes. */
      offset: z.int(),
      length: z.int(),
    }),
  ),
  /** What is not in the new file. */
  lost: z.array(
    z.object({
      rule: z.string(),
      line: z.int(),
      offset: z.int(),
      /** So many bytes of the file of lost bytes are it. */
      length: z.int(),
    }),
  ),
});
