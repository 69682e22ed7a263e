import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { hashSource } from '#change/bytes/hash-source.js';
import { adaptToCopy } from '#change/copy/copy-draft.js';
import { refuseAgentFile } from '#change/plan/appendable.js';
import { buildDraft } from '#change/plan/draft.js';
import { type Plan, readPlan } from '#change/plan/plan.js';
import { buildRefusal } from '#change/write/refusals.js';
import { readJsonFile } from '#cli/read-json.js';
import type { OpenSession } from '#context/open.js';
import { findCopier } from '#session/agents/index.js';
import type { Head } from '#session/heads/head.js';
import type { Outcome } from '../define.js';
import { buildNotInstalledError, openToCopy, type SessionToPlan } from '../session-to-plan.js';
import { openSessionFile } from '../session.js';
import { executePlan } from './execute-plan.js';
import type { ApplyInput } from './flags.js';

/** Appends the entries of a saved plan. Throws a CtxError (refused) if its session has changed since. */
export async function applySavedPlan(input: ApplyInput, file: string): Promise<Outcome> {
  const { io, flags, configuredLimit } = input;
  const plan = readPlan(await readJsonFile(io.files, file), file);
  const { file: sessionFile, size, sha256 } = plan.session;
  if (sessionFile !== '-' && !io.files.exists(sessionFile)) {
    throw new CtxError('input', 'the session of the plan does not exist', {
      where: sessionFile,
      hint: 'run ctx apply in the folder in which the plan was made',
    });
  }
  const opened = await openSessionFile(input, sessionFile);
  const session = await openForSavedPlan(opened, flags);
  // A dry run makes this check too, so that it promises nothing that is refused later.
  const { source } = opened;
  if (source.size !== size || hashSource(source) !== sha256) throw buildRefusal('changed', sessionFile);

  const planned = buildDraft(session, plan.entries, findComparedEntry(session, plan));
  const draft = session.copier ? adaptToCopy(planned) : planned;
  return executePlan(io, { session, draft, plan }, { ...flags, configuredLimit });
}

/** The session of a saved plan, or of another agent's session what a copy of it has. */
function openForSavedPlan(opened: OpenSession, flags: ApplyInput['flags']): Promise<SessionToPlan> | SessionToPlan {
  const copier = findCopier(opened);
  if (copier) return openToCopy(opened, copier, flags);
  if (flags.install) throw buildNotInstalledError(opened);
  // No command saves such a plan, but a sender of files can write one.
  refuseAgentFile(opened);
  return opened;
}

/** Finds the entry whose context a plan changes: where its branch begins, else the leaf, as for a restored state. */
function findComparedEntry({ tree }: OpenSession, { command, entries: [first] }: Plan): Head | null {
  if (!['apply', 'compact', 'prune'].includes(command) || !first) return tree.leaf;
  const parent = asString(first.parentId);
  return parent === null ? null : (tree.heads.find(parent) ?? tree.leaf);
}
