import * as z from 'zod/mini';

/** The id, parent and line of an entry. */
export const entryPlace = {
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** The parent as it is in the file. */
  parentId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
};

/** The type, role and time of an entry. */
export const headFields = {
  /** The type of the entry; null if it has none. */
  type: z.nullable(z.string()),
  /** The role of its message; null for other entries. */
  role: z.nullable(z.string()),
  /** UTC, as ISO 8601; null if it is not recorded. */
  time: z.nullable(z.string()),
};
