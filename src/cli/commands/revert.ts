import { CtxError } from '#base/errors.js';
import { buildPlan } from '#change/plan/draft.js';
import { listChangesInForce } from '#change/revert/changes-in-force.js';
import { draftRestore, type RestoreDraft, type RestoreForm } from '#change/revert/restore.js';
import { resolveUndo } from '#change/revert/undo-selection.js';
import type { Io } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import { isOfCompaction } from '#session/tree/compaction.js';
import { executeCopy } from '../copy/execute-copy.js';
import { draftUndoneCopy } from '../copy/undone-copy.js';
import { findSession, locateToWrite } from '../locate.js';
import { executePlan } from './apply/execute-plan.js';
import { type CommandInput, defineCommand, type Outcome } from './define.js';
import { choiceFlag } from './flags.js';
import { openToPlan, type SessionToPlan } from './session-to-plan.js';
import { sessionToWriteArgument } from './session.js';
import * as shared from './shared-flags.js';

const FORMS: readonly RestoreForm[] = ['branch', 'context_transform', 'stock'];

const FLAGS = {
  as: choiceFlag(
    'FORM',
    FORMS,
    'the entries to write: a branch before it, a transform, or entries that stock Pi reads',
  ),
  ...shared.planningFlags,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'revert',
  summary: 'Undo a compaction, an edit or a transform',
  description:
    'Undoes a compaction, a prune, an edit or a transform by appending, never by deleting. The context is then as if it ' +
    'had never happened, and keeps everything since. If nothing followed, the session branches before it instead. ' +
    'Without a revision, it undoes the newest change.',
  args: [
    sessionToWriteArgument,
    { name: 'rev', help: 'the entry to undo, or a range A..B of them (default: the newest change)' },
  ],
  flags: FLAGS,
  takesRedact: { needs: ['dry-run'], excludes: ['plan'] },
  examples: [
    'ctx revert session.jsonl',
    'ctx revert session.jsonl c7a10e55 --dry-run',
    "ctx revert session.jsonl '@{compaction}'",
    'ctx revert session.jsonl HEAD~4..HEAD',
  ],
  async run(input) {
    const { io, args } = input;
    const [first, second] = args;
    if (first !== undefined && second !== undefined) return revert(input, first, second);
    if (first === undefined || isFile(io, first)) return revert(input, first, null);
    try {
      return await revert(input, undefined, first);
    } catch (error) {
      // A word that is no entry of the latest session may be another session.
      const isEntry = !(error instanceof CtxError) || error.kind === 'refused';
      const file = isEntry ? null : await findSession(io, first);
      if (file === null) throw error;
      return revert(input, file, null);
    }
  },
});

/** Undoes what a revision names; null: the newest change of the session. */
async function revert(input: Input, name: string | undefined, named: string | null): Promise<Outcome> {
  const { io, flags, configuredLimit } = input;
  const session = await openToPlan(input, await locateToWrite(io, name), flags);
  const newest = named === null ? requireNewestChange(session) : null;
  const revision = named ?? formatId(newest?.id) ?? '';
  const chosen = newest ? [describeChosen(newest, session)] : [];
  if (session.copier) {
    if (flags.plan !== undefined) throw buildNoPlanError();
    const copy = draftUndoneCopy(session, revision);
    return executeCopy(io, { session, command: 'revert', copy }, { ...flags, configuredLimit, remarks: chosen });
  }
  const options = { form: flags.as ?? null, now: io.now, newId: io.newId };
  const restored = draftRestore(session, resolveUndo(session, revision), options);
  const { draft } = restored;
  const remarks = [...chosen, ...listRemarks(restored)];
  const honouredBy = flags.as === 'context_transform' ? '--as stock' : undefined;
  const drafted = { session, draft, plan: buildPlan(draft, 'restore') };
  return executePlan(io, drafted, { ...flags, configuredLimit, mayPart: true, remarks, honouredBy });
}

/**
 * The newest change that is in force; of another agent's session, the newest compaction. Throws a CtxError (usage) if
 * there is none.
 */
function requireNewestChange(session: SessionToPlan): Head {
  const changes = listChangesInForce(session);
  const newest = changes.findLast((head) => !session.copier || isOfCompaction(session, head));
  if (newest) return newest;
  throw new CtxError('usage', 'nothing to undo', {
    where: session.file,
    hint: `the path has no compaction${session.copier ? '' : ', edit or transform'}`,
  });
}

function describeChosen(head: Head, session: SessionToPlan): string {
  const { id, type, line } = head;
  // The transform of another agent is its compaction.
  const isChange = type === 'context_edit' || (type === 'context_transform' && !session.copier);
  const what = isChange ? type : 'compaction';
  return `undoes the newest change: ${formatId(id)} (${what}), line ${session.recordedLine?.(line) ?? line}`;
}

function buildNoPlanError(): CtxError {
  return new CtxError('usage', 'no plan is saved of a compaction that is taken back in a copy', {
    where: '--plan',
    hint: 'write the copy: --install or --output FILE; --dry-run shows it',
  });
}

/** A label may look like a path, so a path that does not exist is a file only with Pi's extension. */
function isFile(io: Io, word: string): boolean {
  return /^latest(?::|$)|\.jsonl$/.test(word) || io.files.exists(word);
}

function listRemarks({ form, isSeenByPi }: RestoreDraft): readonly string[] {
  const undone = form === null ? ['nothing is left of it in the context'] : [];
  return isSeenByPi ? undone : [...undone, 'a Pi that knows no transforms still sees it'];
}
