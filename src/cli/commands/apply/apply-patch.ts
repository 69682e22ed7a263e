import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { adaptToCopy } from '#change/copy/copy-draft.js';
import { toEditedDraft } from '#change/copy/edited-draft.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { buildEphemeralEntries, buildPatchEntries, type EntryParent } from '#change/plan/new-entries.js';
import { readMessages, readPatchOps } from '#change/plan/patch-input.js';
import { locateSession } from '#cli/locate.js';
import { readJsonFile } from '#cli/read-json.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import { formatId } from '#session/heads/head.js';
import { resolveRevision } from '#session/tree/revision.js';
import type { Outcome } from '../define.js';
import { openToPlan } from '../session-to-plan.js';
import { executePlan } from './execute-plan.js';
import { type ApplyInput, PATCH_FLAGS } from './flags.js';
import { describeBranch } from './plan-remarks.js';
import { requireSessionAndPatch } from './read-arguments.js';

/** Appends a patch as one entry, or the messages of `--ephemeral`. */
export async function applyPatch(input: ApplyInput): Promise<Outcome> {
  const { io, args, flags, configuredLimit } = input;
  const { name, patchFile } = await requireSessionAndPatch(input);
  const value = await readJsonFile(io.files, patchFile);
  const session = await openToPlan(input, await locateSession(io, name), flags);
  if (session.copier) refuseTransformFlags(session, flags);

  const at = resolveRevision(session, args[2] ?? flags.at ?? 'HEAD');
  const entries = buildEntries(session, value, { ...input, where: patchFile, parentId: formatId(at?.id) });
  const patched = buildDraft(session, entries, at);
  const draft = session.copier ? adaptToCopy(toEditedDraft(patched, io)) : patched;
  const remarks = at && at.index !== session.tree.leaf?.index ? [describeBranch(at, session)] : [];
  return executePlan(io, { session, draft, plan: buildPlan(draft, 'apply') }, { ...flags, configuredLimit, remarks });
}

/** Throws a CtxError (usage) for what a transform of Pi says of itself: no record of another agent says it. */
function refuseTransformFlags({ agent, file }: OpenSession, flags: ApplyInput['flags']): void {
  const name = PATCH_FLAGS.find((each) => each !== 'at' && flags[each] !== undefined);
  if (name === undefined) return;
  throw new CtxError('usage', `--${name} has no meaning for a session of ${agent?.title ?? 'this agent'}`, {
    where: file,
    hint: 'leave it out: a copy has the records of its agent',
  });
}

/** The entries for a patch, or for the messages of `--ephemeral`; none for an empty list. `where`: the file. */
function buildEntries(
  session: OpenSession,
  value: unknown,
  { io, flags, where, parentId }: ApplyInput & EntryParent & { readonly where: string },
): readonly JsonObject[] {
  const place = { parentId, now: io.now, newId: io.newId };
  if (flags.ephemeral) {
    const messages = requireMessages(value, where);
    return messages.length === 0 ? [] : buildEphemeralEntries(session, messages, place);
  }
  const ops = requireOps(value, where);
  const { name = 'ctx-apply', title, message: summary } = flags;
  return ops.length === 0 ? [] : buildPatchEntries(session, ops, { name, title, summary, ...place });
}

function requireOps(value: unknown, file: string): readonly JsonObject[] {
  const ops = readPatchOps(value);
  if (ops !== null) return ops;
  throw new CtxError('input', 'this is no list of patch ops', { where: file, hint: 'see docs/schema/patch.json' });
}

function requireMessages(value: unknown, file: string): readonly LlmMessage[] {
  const messages = readMessages(value);
  if (messages !== null) return messages;
  throw new CtxError('input', 'these are no messages', {
    where: file,
    hint: 'write [{"role":"user","content":"…","timestamp":0}]',
  });
}
