import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** A session that can be read. */
const listedSession = jsonDocument('ctx/session', {
  /** The file, below the listed folder as it was passed. */
  file: z.string(),
  /** The id in the header. */
  id: z.string(),
  /** The version of Pi's format, 1 to 3; null for a value that is no number, and for a file of another agent. */
  version: z.nullable(z.number()),
  /** The name that the user gave; null without one. */
  name: z.nullable(z.string()),
  /** The name, else the first words of the user. */
  title: z.string(),
  /** The working directory; null if it is not recorded. */
  cwd: z.nullable(z.string()),
  /** The last change of the file: UTC, as ISO 8601. */
  modified: z.string(),
  /**
   * The time of the last entry; that of the file where its end has none. `--since`, `--until` and the order follow it.
   */
  last: z.string(),
  /** Bytes. */
  size: z.int(),
  /** The entries of all branches. */
  entries: z.int(),
  /** The newest model of the active path; null if none is recorded. */
  model: z.nullable(z.object({ provider: z.optional(z.string()), modelId: z.optional(z.string()) })),
  /** The size of the context at the active leaf. */
  contextTokens: z.number(),
  /** `recorded` if a provider counted all of it. */
  contextTokensSource: z.enum(['recorded', 'estimated']),
  /** Recorded, in dollars, of all branches. */
  cost: z.nullable(z.number()),
  /** Dollars for calls without a recorded cost, at the listed prices of their models. */
  costListed: z.nullable(z.number()),
  /** The file or id of the session that it was forked from; null without one. */
  parentSession: z.nullable(z.string()),
  /** Whether another session of the agent started it; absent if not. */
  isSubagent: z.optional(z.literal(true)),
  /** The number of listed sessions of subagents that it started; absent if there are none. */
  subagents: z.optional(z.int()),
  /** The agent that wrote it, such as `claude-code`, if it is not Pi. */
  agent: z.optional(z.string()),
  /** The number of damaged places in the file. */
  problems: z.int(),
});

export type ListedSession = z.infer<typeof listedSession>;

/** One line of `ctx ls`. */
export const sessionLine = z.union([
  listedSession,
  jsonDocument('ctx/session', {
    /** The file, as it was passed. */
    file: z.string(),
    /** The last change of the file: UTC, as ISO 8601. */
    modified: z.string(),
    /** Bytes. */
    size: z.int(),
    /** The reason why it cannot be listed. */
    error: z.string(),
  }),
]);

export type SessionLine = z.infer<typeof sessionLine>;
