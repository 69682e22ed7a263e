import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { LOSS_KINDS } from '#change/convert/losses.js';
import { copyFields } from '../copy-fields.js';
import { TARGETS } from './targets.js';

/** The output of `ctx convert --json`. */
export const importDocument = jsonDocument('ctx/import', {
  ...copyFields,
  /** The name of the agent that wrote the file; `pi` for a session of Pi. */
  agent: z.string(),
  /** The version of the agent; null if it is not recorded. */
  agentVersion: z.nullable(z.string()),
  /** The id of the session in the file. */
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
  /**
   * The context window in tokens that the agent's file reveals, which a session of Pi does not have; null if it does
   * not.
   */
  contextWindow: z.nullable(z.int()),
  /** Lines that are not part of a context. */
  unusedLines: z.int(),
  /** Damaged lines. */
  lostLines: z.int(),
  /** Entries whose parent is not in the file, as after a damaged line: a path begins with each. */
  lostParents: z.int(),
  /** Bytes. */
  newSize: z.int(),
  /** The agent whose session was written. */
  to: z.enum(TARGETS),
  /** The new session. */
  newSession: z.object({
    /** An id of its own; a trajectory has the id of the session. */
    id: z.string(),
    /** The messages of its context; null for Pi, whose session has the messages of every branch. */
    messages: z.nullable(z.int()),
    /** Estimated tokens of these messages; null for Pi. */
    tokensEstimated: z.nullable(z.int()),
    /** Whether it is where the agent looks for its sessions. */
    isInstalled: z.boolean(),
  }),
  /** The parts of the session that the agent does not get, with a sentence about each. */
  losses: z.array(z.object({ kind: z.enum(LOSS_KINDS), count: z.int(), text: z.string() })),
  /**
   * The command line that opens the new session; null if nothing was written, the agent opens none in this place, or the
   * context is too large for the agent.
   */
  resume: z.nullable(z.string()),
});

export type ImportDocument = z.infer<typeof importDocument>;
