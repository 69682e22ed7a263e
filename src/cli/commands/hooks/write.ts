import { type EntryBody, entriesBelow } from '#change/plan/ids.js';
import { makePlan, refuseUnfit } from '#change/plan/make.js';
import type { OpenSession } from '#context/open.js';
import { ephemeralBody, transformBody } from '#engines/hooks/entries.js';
import type { HookRequest } from '#engines/hooks/run.js';
import type { Io } from '#platform/io.js';
import { idText } from '#session/table/head.js';
import type { Report } from '#ui/doc/define.js';
import { carryOut } from '../apply/plan.js';
import type { HooksInput } from './command.js';

/** Writes what Pi would have written at a request: what is persisted, then the log of what was not. */
export async function writeHooks(
  io: Io,
  session: OpenSession,
  request: HookRequest,
  flags: HooksInput['flags'],
): Promise<Report> {
  refuseUnfit(session);
  const entries = entriesBelow(session, idText(session.tree.leaf?.id), bodiesOf(request), io);
  const plan = makePlan(session, { command: 'hooks', entries });
  const outcome = await carryOut(io, session, plan, { ...flags, plan: undefined });
  if (outcome.kind !== 'report') throw new Error('a plan that is carried out is reported');
  return outcome.report;
}

function bodiesOf({ boundaries }: HookRequest): readonly EntryBody[] {
  return boundaries.flatMap(({ reason, transforms, after }): readonly EntryBody[] => {
    if (reason !== 'ephemeral') return transforms.map(transformBody);
    return after.messages.uncached.length === 0 ? [] : [ephemeralBody(after.messages.uncached)];
  });
}
