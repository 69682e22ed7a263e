import * as z from 'zod/mini';

/** A session that can be read. */
const listedSession = z.object({
  schema: z.literal('ctx/session'),
  schemaVersion: z.literal(1),
  file: z.string(),
  id: z.string(),
  version: z.nullable(z.number()),
  name: z.nullable(z.string()),
  /** The name, else the first words of the user. */
  title: z.string(),
  cwd: z.nullable(z.string()),
  modified: z.string(),
  /** In bytes. */
  size: z.int(),
  entries: z.int(),
  model: z.nullable(z.object({ provider: z.optional(z.string()), modelId: z.optional(z.string()) })),
  contextTokens: z.number(),
  contextTokensSource: z.enum(['recorded', 'estimated']),
  /** Recorded, in dollars, of all branches. */
  cost: z.nullable(z.number()),
  parentSession: z.nullable(z.string()),
  /** The agent that wrote it, such as `claude-code`, if it is not Pi. */
  agent: z.optional(z.string()),
  /** The number of damaged places in the file. */
  problems: z.int(),
});

export type ListedSession = z.infer<typeof listedSession>;

/** One line of `ctx ls`. */
export const sessionLine = z.union([
  listedSession,
  z.object({
    schema: z.literal('ctx/session'),
    schemaVersion: z.literal(1),
    file: z.string(),
    modified: z.string(),
    size: z.int(),
    /** The reason why it cannot be listed. */
    error: z.string(),
  }),
]);
