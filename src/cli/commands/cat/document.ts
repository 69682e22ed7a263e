import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The output of `ctx cat --json`. */
export const entryDocument = jsonDocument('ctx/entry', {
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** The byte of the file at which the line begins. */
  offset: z.int(),
  /** The bytes of the line. */
  length: z.int(),
  /** The entry in the form of version 3, whatever the version of the file. */
  entry: z.record(z.string(), z.unknown()),
});

export type EntryDocument = z.infer<typeof entryDocument>;
