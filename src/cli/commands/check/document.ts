import * as z from 'zod/mini';

const checkFinding = {
  /** Its name; `unreadable` where the file could not be checked. */
  rule: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  message: z.string(),
  /** null for the session as a whole. */
  line: z.nullable(z.int()),
  entryId: z.nullable(z.string()),
  /** Of the line or the damaged lines, in bytes of the file. */
  offset: z.nullable(z.int()),
  length: z.nullable(z.int()),
  /** Where in the entry: `message.content[0].text`. */
  place: z.nullable(z.string()),
  /** The shortest way to mend it. */
  fix: z.nullable(z.string()),
  /** Ids of other entries that have to do with it. */
  related: z.array(z.string()),
};

const checkedFile = {
  file: z.string(),
  /** In bytes. */
  size: z.int(),
  bytesAccountedFor: z.int(),
  entries: z.int(),
  /** By rule, all findings: also milder ones than are listed, and those beyond the first thousand of a rule. */
  counts: z.record(z.string(), z.int()),
};

/** The output of `ctx check --json`. */
export const checkReport = z.object({
  schema: z.literal('ctx/check'),
  schemaVersion: z.literal(1),
  files: z.array(z.object({ ...checkedFile, findings: z.array(z.object(checkFinding)) })),
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
  ...checkFinding,
});

/** One line of `ctx check --format ndjson`, for each file after its findings. */
export const checkFileLine = z.object({
  schema: z.literal('ctx/check-file'),
  schemaVersion: z.literal(1),
  ...checkedFile,
});

/** The output of `ctx check --fix --json`. Lines, offsets and lengths are those of the old file. */
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
