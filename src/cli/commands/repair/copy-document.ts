import * as z from 'zod/mini';

/** The repairs that `ctx repair` makes in a copy of a session of Claude Code or Codex. */
export const copyRepairDocument = z.object({
  /** The repairs in the order of the file. */
  repairs: z.array(
    z.object({
      /** The rule that finds the fault. */
      rule: z.string(),
      /** The repair. */
      message: z.string(),
      /** null for a line without an entry. */
      entryId: z.nullable(z.string()),
      /** The line of the original, from 1. */
      line: z.nullable(z.int()),
    }),
  ),
});

export type CopyRepairDocument = z.infer<typeof copyRepairDocument>;
