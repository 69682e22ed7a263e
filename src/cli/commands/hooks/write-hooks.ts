import { buildDraftBody, fillFirstKept } from '#change/compact/compaction-entries.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { buildEntryChain, type EntryBody } from '#change/plan/new-entries.js';
import type { OpenSession } from '#context/open.js';
import { toEphemeralBody, toTransformBody } from '#lab/hooks/entry-bodies.js';
import type { HookRequest } from '#lab/hooks/hook-request.js';
import type { Io } from '#platform/io.js';
import { formatId } from '#session/heads/head.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type ExecuteOptions, executePlan } from '../apply/execute-plan.js';

/** Writes the entries that Pi would have written at a request: the persisted changes, then the log of the others. */
export async function writeHooks(
  io: Io,
  session: OpenSession,
  request: HookRequest,
  options: Omit<ExecuteOptions, 'plan'>,
): Promise<Printable> {
  const leaf = formatId(session.tree.leaf?.id);
  const entries = fillFirstKept(buildEntryChain(session, leaf, listBodies(session, request), io));
  const draft = buildDraft(session, entries);
  const planned = { session, draft, plan: buildPlan(draft, 'hooks') };
  const outcome = await executePlan(io, planned, { ...options, plan: undefined });
  if (outcome.kind !== 'single') throw new Error('a plan that is carried out is reported');
  return outcome.item;
}

function listBodies(session: OpenSession, { boundaries, drafts }: HookRequest): readonly EntryBody[] {
  const bodies: EntryBody[] = [];
  for (const { reason, transforms, after } of boundaries) {
    const { uncached } = after.messages;
    if (reason !== 'ephemeral') bodies.push(...transforms.map(toTransformBody));
    else if (uncached.length > 0) bodies.push(toEphemeralBody(uncached));
  }
  return [...bodies, ...drafts.map((draft) => buildDraftBody(session, draft))];
}
