import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { entryPlace, headFields } from '../entry-fields.js';

/** One line of `ctx tree`: an entry, known by its head alone. Parents come before their children. */
export const treeEntryLine = jsonDocument('ctx/tree-entry', {
  ...entryPlace,
  /** The first byte of the line in the file. */
  offset: z.int(),
  /** The bytes of the line. */
  length: z.int(),
  ...headFields,
  /** 1 for a root of the output, one more for each printed ancestor. */
  depth: z.int(),
  /** The children that pass the filter, those included that `--depth` leaves out. */
  children: z.int(),
  /** Whether the entry is on the path to HEAD. */
  isActive: z.boolean(),
  /** Whether the entry is HEAD. */
  isLeaf: z.boolean(),
  /** The newest label; null without one. */
  label: z.nullable(z.string()),
  /** The entry that a label or edit is about, or the first one that a compaction keeps. */
  target: z.nullable(z.string()),
});

export type TreeEntryLine = z.infer<typeof treeEntryLine>;
