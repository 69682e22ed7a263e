import * as z from 'zod/mini';

/** A hit with its rule. */
export const finding = z.object({
  /** Its name; `unreadable` if the file could not be checked. */
  rule: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  message: z.string(),
  /** null for the session as a whole. */
  line: z.nullable(z.int()),
  entryId: z.nullable(z.string()),
  /** The bytes of the line or the damaged lines in the file. */
  offset: z.nullable(z.int()),
  length: z.nullable(z.int()),
  /** The place in the entry: `message.content[0].text`. */
  place: z.nullable(z.string()),
  /** The shortest way to repair it. */
  fix: z.nullable(z.string()),
  /** Ids of other entries that are involved. */
  related: z.array(z.string()),
});

/** One result of a rule. */
export type Finding = z.infer<typeof finding>;

/** The result of checking one file. */
export const checkedFile = z.object({
  file: z.string(),
  /** In bytes. */
  size: z.int(),
  bytesAccountedFor: z.int(),
  entries: z.int(),
  /** The number of all findings by rule, including less severe ones and those beyond the first thousand of a rule. */
  counts: z.record(z.string(), z.int()),
  /** In the order of the file, up to a thousand of each rule. */
  findings: z.array(finding),
});
