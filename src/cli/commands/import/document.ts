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
  entries: z.int(),
  /** Lines that are not part of a context. */
  unusedLines: z.int(),
  /** Damaged lines. */
  lostLines: z.int(),
  /** In bytes. */
  newSize: z.int(),
});
