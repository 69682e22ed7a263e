import * as z from 'zod/mini';
import { checkedFile, finding } from '#analysis/check/document.js';

/** The output of `ctx check --json`. */
export const checkReport = z.object({
  schema: z.literal('ctx/check'),
  schemaVersion: z.literal(1),
  files: z.array(checkedFile),
  totals: z.object({
    files: z.int(),
    unreadable: z.int(),
    /** Files in which something was found. */
    withFindings: z.int(),
    errors: z.int(),
    warnings: z.int(),
    notes: z.int(),
  }),
});

/** One line of `ctx check --format ndjson`, for each finding. */
export const checkFindingLine = z.object({
  schema: z.literal('ctx/check-finding'),
  schemaVersion: z.literal(1),
  file: z.string(),
  ...finding.shape,
});

/** One line of `ctx check --format ndjson`, for each file after its findings. */
export const checkFileLine = z.object({
  schema: z.literal('ctx/check-file'),
  schemaVersion: z.literal(1),
  ...z.omit(checkedFile, { findings: true }).shape,
});

/** The output of `ctx repair --json`. Lines, offsets and lengths are those of the old file. */
export const repairReport = z.object({
  schema: z.literal('ctx/repair'),
  schemaVersion: z.literal(1),
  file: z.string(),
  /** The new file; null if nothing was written. */
  output: z.nullable(z.string()),
  /** The file of lost bytes, one part after the other; null if nothing was lost or written. */
  lostFile: z.nullable(z.string()),
  /** In bytes. */
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
      /** Of the line or a part of it, in bytes. */
      offset: z.int(),
      length: z.int(),
    }),
  ),
  /** Parts of the old file that are not in the new one. */
  lost: z.array(
    z.object({
      rule: z.string(),
      line: z.int(),
      offset: z.int(),
      /** Its length in the file of lost bytes. */
      length: z.int(),
    }),
  ),
});
