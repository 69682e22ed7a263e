import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The output of `ctx cat --json`. */
export const entryDocument = jsonDocument('ctx/entry', {
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** Of the line, in bytes of the file. */
  offset: z.int(),
  /** The bytes of the line. */
  length: z.int(),
  /** As version 3 has it, whatever the version of the file. */
  entry: z.record(z.string(), z.unknown()),
});

export type EntryDocument = z.infer<typeof entryDocument>;
