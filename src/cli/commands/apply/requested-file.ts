import { draftCopyTo } from '#change/copy/copy-draft.js';
import type { SessionToCopy } from '#change/copy/session-to-copy.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { applyPlan } from '#change/write/apply-plan.js';
import type { Io } from '#platform/io.js';
import { type CopyOptions, executeCopy } from '../../copy/execute-copy.js';
import type { Outcome } from '../define.js';
import type { FlagValues } from '../flags.js';
import { readOutputFile } from '../new-session.js';
import type { SessionToPlan } from '../session-to-plan.js';
import type * as shared from '../shared-flags.js';
import { renderNote } from './plan-view.js';
import { savePlan } from './save-plan.js';

/** A plan without entries: the command found nothing to do. */
interface NothingPlanned {
  readonly outcome: Outcome;
  readonly session: SessionToPlan;
  readonly command: string;
}

/**
 * Adds to an outcome of doing nothing the file that the flags name, because a script reads it next: a plan without
 * entries, or a copy of the session. An exit code of 1 already tells the script that there is none.
 */
export async function addRequestedFile(
  io: Io,
  { outcome, session, command }: NothingPlanned,
  flags: Partial<FlagValues<typeof shared.planningFlags>>,
): Promise<Outcome> {
  const { plan: planFile, force } = flags;
  const file = planFile ?? readOutputFile(flags);
  if (file === null || outcome.kind !== 'single' || outcome.exitCode === 1) return outcome;
  const plan = buildPlan(buildDraft(session, []), command);
  if (planFile !== undefined) await savePlan(io, planFile, { session, plan }, force);
  else if (session.copier) await copyUnchanged(io, session, { command, output: file, force });
  else await applyPlan(io, plan, { output: file, force, source: session.migration && session.source });
  const { data, doc } = outcome.item;
  const note = planFile === undefined ? `${file} is a copy of the session` : `the plan in ${file} appends nothing`;
  return { ...outcome, item: { data, doc: (view) => [...doc(view), renderNote(note)] } };
}

/** Writes a copy of another agent's session without a change. */
async function copyUnchanged(
  io: Io,
  session: SessionToCopy,
  { command, ...options }: Pick<CopyOptions, 'output' | 'force'> & { readonly command: string },
): Promise<void> {
  const copy = draftCopyTo(session, null);
  await executeCopy(io, { session, command, copy }, { ...options, configuredLimit: undefined });
}
