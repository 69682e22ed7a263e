import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** One line of `ctx show --each`. */
export const envelopeLine = jsonDocument('ctx/envelope-line', {
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** The type of the entry; null if it has none. */
  type: z.nullable(z.string()),
  /** The SHA-256 of the context after the entry, in hexadecimal digits. */
  envelopeSha256: z.string(),
  /** Estimated. */
  tokens: z.int(),
  /** How tokens are estimated. */
  tokenMethod: z.string(),
  /** The number of messages after the entry. */
  messages: z.int(),
});

export type EnvelopeLine = z.infer<typeof envelopeLine>;

/** One line of `ctx show --json` with a selection of messages. */
export const envelopeMessageLine = jsonDocument('ctx/message', {
  /** Counted from 1 in the order in which the model sees them. */
  number: z.int(),
  /** The entry that it comes from, such as a transform; null if that has no id. */
  entryId: z.nullable(z.string()),
  /** The line of that entry, from 1; null without one. */
  line: z.nullable(z.int()),
  /** The kind of entry that gave the message its content; null if that is unknown. */
  origin: z.nullable(z.enum(['entry', 'edit', 'compaction', 'transform'])),
  /** false: sent with this request only. */
  isCached: z.boolean(),
  /** The share in the size of the context, in tokens: see `composition` of the envelope. */
  tokens: z.int(),
  /** Estimated tokens of the message. */
  tokensEstimated: z.int(),
  /** The message as the model sees it. */
  message: z.record(z.string(), z.unknown()),
});

export type EnvelopeMessageLine = z.infer<typeof envelopeMessageLine>;
