import * as z from 'zod/mini';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { type OpenSession, openSessionSource, readOtherAgentSession, toOpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { describeOverflow, findAgentRepairs } from '../repair/find-agent-repairs.js';

/** Whether the agent can go on with a session, and what stops it. */
export const goingOnDocument = z.object({
  goesOn: z.boolean(),
  /** The first fault that stops it, or that costs a refused request; null for none. */
  why: z.nullable(z.string()),
  /** The rule that finds it; null if there is none. */
  rule: z.nullable(z.string()),
  entryId: z.nullable(z.string()),
  line: z.nullable(z.int()),
  /** Other faults beside it. */
  others: z.int(),
  /** The command that repairs or shortens the session; null if there is nothing to do. */
  command: z.nullable(z.string()),
});

export type GoingOn = z.infer<typeof goingOnDocument>;

/** Opens a session, and finds whether its agent can go on with it; null for one that is not repaired in a copy. */
export async function openGoingOn(
  io: Io,
  file: string,
): Promise<{ readonly found: GoingOn; readonly agent: string } | null> {
  const source = await openSessionSource(io.files, file);
  try {
    const read = await readOtherAgentSession(source, file);
    const found = read && (await findGoingOn(io, await toOpenSession(read, source)));
    return found && { found, agent: nameAgent(read) };
  } finally {
    source.close();
  }
}

/** An agent with its version, as sentences name it. */
export function nameAgent({ agent }: Pick<OpenSession, 'agent'>): string {
  return [agent?.title ?? 'Pi', ...(agent?.version ? [agent.version] : [])].join(' ');
}

/** Finds whether the agent that wrote a session can go on with it; null for an agent whose sessions are not repaired in copies. */
export async function findGoingOn(io: Io, session: OpenSession): Promise<GoingOn | null> {
  const found = await findAgentRepairs(io, session);
  if (!found) return null;
  const { copier, faults, before } = found;
  const version = session.agent?.version ?? null;
  const stops = faults.filter((fault) => !copier.overcomes(fault, version));
  const file = toShellWord(session.file);
  const [first] = stops;
  if (first) {
    const { rule, entryId, line } = first;
    const others = stops.length - 1;
    return { goesOn: false, why: first.why, rule, entryId, line, others, command: `ctx repair ${file} --install` };
  }
  const why = describeOverflow(before);
  if (why !== null) {
    const goesOn = copier.overcomes({ rule: 'usage-above-window' }, version);
    const command = `ctx prune ${file} --strategy distill --install`;
    return { goesOn, why, rule: null, entryId: null, line: null, others: 0, command };
  }
  const mild = faults.find(({ rule }) => rule !== 'open-call');
  if (!mild) return { goesOn: true, why: null, rule: null, entryId: null, line: null, others: 0, command: null };
  const others = faults.length - 1;
  const { rule, entryId, line } = mild;
  return { goesOn: true, why: mild.why, rule, entryId, line, others, command: `ctx repair ${file} --install` };
}

/** The one line that says whether a session goes on. `agent`: its title and version. */
export function describeGoingOn({ goesOn, why, entryId, line, others }: GoingOn, agent: string): string {
  if (why === null) return `${agent} can go on with it`;
  const place = [...(entryId === null ? [] : [`entry ${entryId}`]), ...(line === null ? [] : [`line ${line}`])].join(
    ', ',
  );
  const where = place === '' ? '' : ` (${place})`;
  const more = others === 0 ? '' : `, and ${pluralize(others, 'more fault')}`;
  const verdict = goesOn ? `${agent} goes on without a part` : `${agent} cannot go on`;
  return `${verdict}: ${why}${where}${more}`;
}
