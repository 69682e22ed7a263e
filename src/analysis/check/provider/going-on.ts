import * as z from 'zod/mini';

/** Whether the agent can go on with a session, and what stops it. */
export const goingOnDocument = z.object({
  /** The agent with its version, as sentences name it. */
  agent: z.string(),
  goesOn: z.boolean(),
  /** The first fault that stops it, or that costs a refused request; null for none. */
  why: z.nullable(z.string()),
  /** The rule that finds it; null if there is none. */
  rule: z.nullable(z.string()),
  entryId: z.nullable(z.string()),
  line: z.nullable(z.int()),
  /** Other faults beside it. */
  others: z.int(),
  /** The command that repairs or shortens the session; null if there is nothing to do, and where no command does it. */
  command: z.nullable(z.string()),
});

export type GoingOn = z.infer<typeof goingOnDocument>;

/** The sentence that says whether a session goes on, without the place of the fault. */
export function describeGoingOn({ agent, goesOn, why }: GoingOn): string {
  if (why === null) return `${agent} can go on with it`;
  return `${agent} ${goesOn ? 'goes on without a part' : 'cannot go on'}: ${why}`;
}
