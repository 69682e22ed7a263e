import * as z from 'zod/mini';

/** A hit with its rule. */
export const findingDocument = z.object({
  /** Its name; `unreadable` if the file could not be checked. */
  rule: z.string(),
  /** `error` fails a check; `warning` does with `--max-warnings`; `note` never does. */
  severity: z.enum(['error', 'warning', 'note']),
  /** The finding, as a sentence. */
  message: z.string(),
  /** null for the session as a whole. */
  line: z.nullable(z.int()),
  /** null if the line has no entry, or an entry without an id. */
  entryId: z.nullable(z.string()),
  /** The bytes of the line or the damaged lines in the file. */
  offset: z.nullable(z.int()),
  /** The number of those bytes; null like `offset`. */
  length: z.nullable(z.int()),
  /** The place in the entry: `message.content[0].text`. */
  place: z.nullable(z.string()),
  /** The shortest way to repair it. */
  fix: z.nullable(z.string()),
  /** Ids of other entries that are involved. */
  related: z.array(z.string()),
  /** false: the session lacks the data of the rule, which could not look. The key is missing otherwise. */
  checked: z.optional(z.literal(false)),
});

/** One result of a rule. */
export type Finding = z.infer<typeof findingDocument>;
