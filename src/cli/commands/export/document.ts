import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The output of `ctx export -o --json`: the files that it has written. */
export const exportDocument = jsonDocument('ctx/export', {
  format: z.string(),
  /** The file or the folder that was named. */
  output: z.string(),
  /** The sessions that were read. */
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

export type ExportDocument = z.infer<typeof exportDocument>;

/** The output of `ctx export --list --json`. */
export const exportFormatList = jsonDocument('ctx/export-formats', {
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

export type ExportFormatList = z.infer<typeof exportFormatList>;
