import * as z from 'zod/mini';

/** The output of `ctx export -o --json`: the files that it has written. */
export const exportWritten = z.object({
  schema: z.literal('ctx/export'),
  schemaVersion: z.literal(1),
  format: z.string(),
  /** The file or the folder that was named. */
  output: z.string(),
  /** That were read. */
  sessions: z.int(),
  files: z.array(
    z.object({
      file: z.string(),
      bytes: z.int(),
      /** null for a file that is not a table. */
      rows: z.nullable(z.int()),
    }),
  ),
});

/** The output of `ctx export --list --json`. */
export const exportFormatList = z.object({
  schema: z.literal('ctx/export-formats'),
  schemaVersion: z.literal(1),
  formats: z.array(
    z.object({
      name: z.string(),
      /** One request, one path of a session, or tables of many sessions. */
      takes: z.enum(['request', 'session', 'tables']),
      summary: z.string(),
      /** Information that the format omits, one sentence each. */
      leavesOut: z.array(z.string()),
    }),
  ),
});
