import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { jsonDocument } from '#base/schema.js';
import { contextSize, tokenCount } from '#context/replay/envelope.js';

/** The report of a writing command on what it has written. */
export const writtenDocument = jsonDocument('ctx/written', {
  /** The command that wrote. */
  command: z.string(),
  /** The file that has the entries now. */
  file: z.string(),
  /** Bytes of the session before, and of the file with the entries. */
  oldSize: z.int(),
  /** Bytes of the file with the entries. */
  newSize: z.int(),
  /** The entries that were written, in order. */
  entries: z.array(z.object({ entryId: z.string(), type: z.string() })),
  /** The ids of those that stock Pi ignores. */
  ignoredByStock: z.array(z.string()),
  /** The hash of the envelope at the last of them. */
  envelopeSha256: z.string(),
  /** Estimated, by category. */
  tokens: z.object({ before: tokenCount, after: tokenCount }),
  /** The fill of the context, before and after. */
  size: z.object({ before: contextSize, after: contextSize }),
  /** Sentences that the user should read. */
  notes: z.array(z.string()),
  /** The command line that gives the context of before back; null where nothing is to be undone, or no restore can. */
  undo: z.nullable(z.string()),
});

export type WrittenDocument = DeepReadonly<z.infer<typeof writtenDocument>>;
