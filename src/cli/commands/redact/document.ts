import * as z from 'zod/mini';

/** The output of `ctx redact --json`. */
export const redactionReport = z.object({
  schema: z.literal('ctx/redaction'),
  schemaVersion: z.literal(1),
  file: z.string(),
  /** The new file; null where nothing was written. */
  output: z.nullable(z.string()),
  /** In bytes. */
  oldSize: z.int(),
  newSize: z.int(),
  /** How many stretches were replaced, and how many values that were different. */
  replaced: z.int(),
  values: z.int(),
  /** How many stretches stay, since the session hangs on them. */
  kept: z.int(),
  /** Lines that are damaged, all of which was replaced. */
  damagedLines: z.int(),
  replacements: z.array(
    z.object({
      line: z.int(),
      /** null for the header, and for lines that hold no entry. */
      entryId: z.nullable(z.string()),
      /** Such as `message.content[0].text`; null for a line that is damaged. */
      place: z.nullable(z.string()),
      /** The rule that found it, which names the kind of secret. */
      rule: z.string(),
      /** A quarter of its characters at most. */
      masked: z.string(),
      /** Its replacement; null if it stays. */
      placeholder: z.nullable(z.string()),
    }),
  ),
});
