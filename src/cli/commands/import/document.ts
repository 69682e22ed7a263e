import * as z from 'zod/mini';

/** The output of `ctx import --json`. */
export const importReport = z.object({
  schema: z.literal('ctx/import'),
  schemaVersion: z.literal(1),
  file: z.string(),
  /** The new file; null if nothing was written. */
  output: z.nullable(z.string()),
  /** The name of the agent that wrote the file. */
  agent: z.string(),
  /** The version of the agent; null if it is not recorded. */
  agentVersion: z.nullable(z.string()),
  /** The id of the session, which it keeps. */
  sessionId: z.string(),
  /** The entries that the session has. */
  entries: z.int(),
  /** Histories that a compaction or an edit of the agent replaced, written out for Pi. */
  replacements: z.int(),
  /** The entries that this takes beside those of the session. */
  addedEntries: z.int(),
  /** Transforms that Pi ignores: the recorded prompts and tools. */
  ignoredTransforms: z.int(),
  /** Lines that are not part of a context. */
  unusedLines: z.int(),
  /** Damaged lines. */
  lostLines: z.int(),
  /** In bytes. */
  newSize: z.int(),
});
