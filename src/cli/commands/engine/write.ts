import { plural } from '#base/words.js';
import { planOf } from '#change/plan/draft.js';
import { draftBranch, type EndOfDrive } from '#engines/drive/branch.js';
import type { Io } from '#platform/io.js';
import type { SessionToPlan } from '../apply/open.js';
import { executePlan, WRITING_FLAGS } from '../apply/plan.js';
import type { Outcome } from '../define.js';
import { flagsWith, toggle } from '../flags.js';

const { output, force, ...ofWriting } = WRITING_FLAGS;

/** The flags that write what an engine did to the transcript. */
export const writeFlags = {
  write: {
    ...toggle('append the compactions and rewrites of the engine, as a branch'),
    excludes: ['at', 'export'],
  },
  ...flagsWith({ needs: ['write'] }, ofWriting),
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
  { session, end }: { readonly session: SessionToPlan; readonly end: EndOfDrive },
  flags: Parameters<typeof executePlan>[2],
): Promise<Outcome> {
  const { draft, leftOut } = draftBranch(session, end, io);
  const are = leftOut.length === 1 ? 'is' : 'are';
  const what = plural(leftOut.length, 'recorded compaction or transform', 'recorded compactions and transforms');
  const remarks = leftOut.length === 0 ? [] : [`${what} of messages ${are} left out: the engine did not make them`];
  return executePlan(io, { session, draft, plan: planOf(draft, 'engine run') }, { ...flags, remarks });
}
