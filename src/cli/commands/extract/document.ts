import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { copyFields } from '../copy-fields.js';

/** The output of `ctx extract --json`. */
export const extractionDocument = jsonDocument('ctx/extraction', {
  ...copyFields,
  /** The id of the new session. */
  sessionId: z.string(),
  /** The ends of the extracted range; null for the root. */
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  /** Entries of the path that are in the new file. */
  entries: z.int(),
  /** Entries that represent the context before `from`. */
  checkpoint: z.int(),
  /** Labels, which follow all other entries. */
  labels: z.int(),
  /** Entries of the path before `from`. The new file has their context, and not the entries. */
  leftOut: z.int(),
  /** The context could only be kept with the whole path, so `from` was passed by. */
  tookWholePath: z.boolean(),
  /** Bytes. */
  newSize: z.int(),
});

export type ExtractionDocument = z.infer<typeof extractionDocument>;
