import { pluralize } from '#base/numbers.js';
import { buildPlan } from '#change/plan/draft.js';
import { draftBranch, type DriveEnd } from '#lab/drive/transcript/draft-branch.js';
import type { Io } from '#platform/io.js';
import { executePlan } from '../apply/execute-plan.js';
import type { Outcome } from '../define.js';
import { addFlagRule, toggleFlag } from '../flags.js';
import type { SessionToPlan } from '../session-to-plan.js';
import * as shared from '../shared-flags.js';

const { output, force, ...inSession } = shared.writingFlags;

/** The flags that write what an engine did to the transcript. */
export const writeFlags = {
  write: {
    ...toggleFlag('append the compactions and rewrites of the engine, as a branch'),
    excludes: ['at', 'export'],
  },
  ...addFlagRule({ needs: ['write'] }, inSession),
  output: {
    ...output,
    help: 'write the exported request, or a copy of the session with the branch',
    needs: ['write', 'export'],
  },
  force: { ...force, needs: ['write', 'export'] },
};

/** Appends the branch that an engine leaves. */
export async function writeBranch(
  io: Io,
  { session, end }: { readonly session: SessionToPlan; readonly end: DriveEnd },
  flags: Parameters<typeof executePlan>[2],
): Promise<Outcome> {
  const { draft, leftOut } = draftBranch(session, end, io);
  const are = leftOut.length === 1 ? 'is' : 'are';
  const what = pluralize(leftOut.length, 'recorded compaction or transform', 'recorded compactions and transforms');
  const remarks = leftOut.length === 0 ? [] : [`${what} of messages ${are} left out: the engine did not make them`];
  return executePlan(io, { session, draft, plan: buildPlan(draft, 'engine run') }, { ...flags, remarks });
}
