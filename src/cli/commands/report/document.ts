import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The output of `ctx report --json`: the page that it has written. */
export const reportDocument = jsonDocument('ctx/report', {
  /** The session or the folder. */
  file: z.string(),
  output: z.string(),
  /** The bytes of the page. */
  bytes: z.int(),
  sessions: z.int(),
  /** The entries of one session; null for a folder. */
  entries: z.nullable(z.int()),
  /** Along the path; null for a folder. */
  requests: z.nullable(z.int()),
  /** The size in bytes at which texts were truncated; null if none was. */
  textLimit: z.nullable(z.int()),
});

export type ReportDocument = z.infer<typeof reportDocument>;
