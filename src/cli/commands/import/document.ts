import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { copyFields } from '../copy-fields.js';

/** The output of `ctx import --json`. */
export const importDocument = jsonDocument('ctx/import', {
  ...copyFields,
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
  /** Results of tool calls that come directly after their calls, where the agent recorded a message between. */
  movedResults: z.int(),
  /** The context window in tokens that the agent's file reveals, which a session of Pi does not have; null if it does not. */
  contextWindow: z.nullable(z.int()),
  /** Lines that are not part of a context. */
  unusedLines: z.int(),
  /** Damaged lines. */
  lostLines: z.int(),
  /** Entries whose parent is not in the file, as after a damaged line: a path begins with each. */
  lostParents: z.int(),
  /** In bytes. */
  newSize: z.int(),
});

export type ImportDocument = z.infer<typeof importDocument>;
