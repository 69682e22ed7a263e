import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { copyFields } from '../copy-fields.js';

/** The account of a redaction. */
export const redactionAccount = z.object({
  /** The number of replaced places, and of distinct values. */
  replaced: z.int(),
  values: z.int(),
  /** The number of places that stay, since the session's structure depends on them. */
  kept: z.int(),
  /** Damaged lines, which are replaced completely. */
  damagedLines: z.int(),
  replacements: z.array(
    z.object({
      line: z.int(),
      /** null for the header, and for lines that hold no entry. */
      entryId: z.nullable(z.string()),
      /** The path of the value, such as `message.content[0].text`; null for a line that is damaged. */
      place: z.nullable(z.string()),
      /** The rule that found it, which names the kind of secret. */
      rule: z.string(),
      /** The secret with at most a quarter of its characters visible. */
      masked: z.string(),
      /** The replacement; null if the secret stays. */
      placeholder: z.nullable(z.string()),
    }),
  ),
});

/** The output of `ctx redact --json`. */
export const redactionDocument = jsonDocument('ctx/redaction', {
  ...copyFields,
  /** Bytes. */
  oldSize: z.int(),
  newSize: z.int(),
  ...redactionAccount.shape,
});

export type RedactionAccount = z.infer<typeof redactionAccount>;
export type RedactionDocument = z.infer<typeof redactionDocument>;
