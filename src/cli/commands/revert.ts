import { CtxError } from '#base/errors.js';
import { draftCopyWithout, findCopier } from '#change/copy/copy-draft.js';
import { refuseAgentFile } from '#change/plan/appendable.js';
import { buildPlan } from '#change/plan/draft.js';
import { formatRevertCommand } from '#change/plan/next-commands.js';
import { draftRestore, type RestoreDraft, type RestoreForm } from '#change/plan/restore.js';
import { findNewestChange, listChangesInForce, resolveUndo } from '#change/plan/undo.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build.js';
import { transformerName } from '#context/replay/repeated-transform.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copy.js';
import { formatId, type Head } from '#session/heads/head.js';
import { findSession, locateToWrite } from '../locate.js';
import { executeCopy } from './apply/execute-copy.js';
import { executePlan, PLANNING_FLAGS } from './apply/plan.js';
import { type CommandInput, defineCommand, type Outcome } from './define.js';
import { choiceFlag } from './flags.js';
import { openToPlan, type SessionToPlan } from './session-to-plan.js';
import { openNamedSession, sessionToWriteArgument } from './session.js';

const FORMS: readonly RestoreForm[] = ['branch', 'context_transform', 'stock'];

const FLAGS = {
  as: choiceFlag(
    'FORM',
    FORMS,
    'the entries to write: a branch before it, a transform, or entries that stock Pi reads',
  ),
  ...PLANNING_FLAGS,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'revert',
  summary: 'Undo a compaction, an edit or a transform',
  description:
    'Undoes a compaction, a prune, an edit or a transform by appending, never by deleting. The context is then as if it ' +
    'had never happened, and keeps everything since. If nothing followed, the session branches before it instead.',
  args: [sessionToWriteArgument, { name: 'revision', help: 'the entry to undo, or a range A..B of them' }],
  flags: FLAGS,
  takesRedact: { needs: ['dry-run'], excludes: ['plan'] },
  examples: [
    "ctx revert session.jsonl '@{compaction}'",
    'ctx revert session.jsonl c7a10e55 --dry-run',
    'ctx revert session.jsonl HEAD~4..HEAD',
  ],
  async run(input) {
    const { io, args } = input;
    const [first, second] = args;
    const [name, revision] = second === undefined ? [undefined, first] : [first, second];
    if (revision === undefined)
      throw new CtxError('usage', 'say what to undo', { hint: "ctx revert SESSION '@{compaction}'" });
    if (second === undefined && isFile(io, revision)) return revertOnlyChange(input, revision);
    try {
      return await revert(input, name, revision);
    } catch (error) {
      // A single word that is no entry of the latest session may be another session.
      const isEntry = second !== undefined || !(error instanceof CtxError) || error.kind === 'refused';
      const file = isEntry ? null : await findSession(io, revision);
      throw file === null ? error : missingRevisionError(await openNamedSession(input, file));
    }
  },
});

/** Undoes the only change of a session. Throws a CtxError (usage) that names the newest one if there are more. */
async function revertOnlyChange(input: Input, name: string): Promise<Outcome> {
  const session = await openNamedSession(input, name);
  const [only, ...others] = listChangesInForce(session);
  const id = others.length === 0 ? formatId(only?.id) : null;
  if (id === null || session.agent) throw missingRevisionError(session);
  return revert(input, session.file, id);
}

async function revert(input: Input, name: string | undefined, revision: string): Promise<Outcome> {
  const { io, flags } = input;
  const session = await openToPlan(input, await locateToWrite(io, name), flags);
  if (session.copier) return writeCopyWithout(io, { ...session, copier: session.copier }, revision, flags);
  const options = { form: flags.as ?? null, now: io.now, newId: io.newId };
  const restored = draftRestore(session, resolveUndo(session, revision), options);
  const { draft } = restored;
  const remarks = listRemarks(restored);
  const honouredBy = flags.as === 'context_transform' ? '--as stock' : undefined;
  const drafted = { session, draft, plan: buildPlan(draft, 'restore') };
  return executePlan(io, drafted, { ...flags, mayPart: true, remarks, honouredBy });
}

/** Writes a copy of another agent's session without a compaction, so that what it removed is in the context again. */
function writeCopyWithout(
  io: Io,
  session: SessionToPlan & { readonly copier: AgentCopier },
  revision: string,
  flags: Input['flags'],
): Promise<Outcome> {
  const { path, places } = resolveUndo(session, revision);
  const heads = places.flatMap((place) => path[place] ?? []);
  if (!heads.every((head) => isCompaction(session, head))) {
    throw new CtxError('refused', `only compactions of ${session.agent?.title ?? 'this agent'} can be taken back`, {
      where: session.file,
      hint: "name a compaction, such as '@{compaction}'",
    });
  }
  const before = buildEnvelope(session, session.tree.leaf);
  const copy = draftCopyWithout(session, new Set(heads.map(({ index }) => index)));
  return executeCopy(io, { session, copier: session.copier, command: 'revert', before, copy, loss: null }, flags);
}

/** Whether an entry replaced messages by a summary. Codex records the history after it, which is a transform. */
function isCompaction(session: OpenSession, head: Head): boolean {
  if (head.type !== 'context_transform') return head.type === 'compaction';
  return transformerName(session.entry(head)) === 'compaction';
}

/** A label may look like a path, so a path that does not exist is a file only with Pi's extension. */
function isFile(io: Io, word: string): boolean {
  return /^latest(?::|$)|\.jsonl$/.test(word) || io.files.exists(word);
}

function missingRevisionError(session: OpenSession): CtxError {
  if (!findCopier(session)) refuseAgentFile(session);
  const { file } = session;
  const newest = findNewestChange(session);
  const hint = newest
    ? `undo the newest change (${newest.type}): ${formatRevertCommand(file, formatId(newest.id) ?? '')}`
    : 'the path has no compaction, edit or transform';
  return new CtxError('usage', newest ? 'say which change to undo' : 'nothing to undo', { where: file, hint });
}

function listRemarks({ form, isSeenByPi }: RestoreDraft): readonly string[] {
  const undone = form === null ? ['nothing is left of it in the context'] : [];
  return isSeenByPi ? undone : [...undone, 'a Pi that knows no transforms still sees it'];
}
