import { ephemeralBody, transformBody } from '../hooks/entries.js';
import type { HookRequest } from '../hooks/run.js';
import type { Io } from '../io.js';
import type { OpenSession } from '../open.js';
import { type EntryBody, entriesBelow } from '../plan/ids.js';
import { makePlan, refuseUnfit } from '../plan/make.js';
import type { Report } from '../render/define.js';
import { idText } from '../session/head.js';
import { carryOut } from './apply-plan.js';
import type { HooksInput } from './hooks.js';

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
