import * as z from 'zod/mini';
import { pluralize } from '#base/numbers.js';
import { defineRule, type Hit } from '../define.js';
import { HEADER, QUESTION } from '../example.js';

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

const options = z.strictObject({ verdict: z.optional(goingOnDocument) });

const FAULT: GoingOn = {
  agent: 'Claude Code 2.1.332',
  goesOn: false,
  why: 'the image has 9,000 x 3 pixels, and no side may have more than 8,000',
  rule: 'unsupported-image',
  entryId: 'u1',
  line: 2,
  others: 0,
  command: 'ctx repair session.jsonl --install',
};

export default defineRule({
  name: 'cannot-go-on',
  severity: 'error',
  summary: 'Claude Code or Codex cannot go on with the session',
  help:
    'Every further prompt fails, as it was tried with the version of the agent that wrote the session. The cause is ' +
    'the first fault that this version does not get over, or a context above the window. `ctx doctor` gives the same ' +
    'verdict, and `ctx repair` or `ctx prune` writes a copy that goes on. Other rules report the fault itself, some ' +
    'as a warning, since other versions get over it.',
  options,
  optionsFrom: 'ctx check',
  example: { fires: [HEADER, QUESTION], silent: [HEADER], options: { verdict: FAULT } },
  looksAt: 'session',
  find({ tree }, { verdict }): readonly Hit[] {
    if (!verdict || verdict.goesOn || tree.heads.length === 0) return [];
    const { entryId, line, others, command } = verdict;
    const more = others === 0 ? '' : `, and ${pluralize(others, 'more fault')}`;
    return [
      {
        message: `${describeGoingOn(verdict)}${more}`,
        at: line === null ? undefined : { line, id: entryId ?? undefined },
        fix: command ?? undefined,
      },
    ];
  },
});
