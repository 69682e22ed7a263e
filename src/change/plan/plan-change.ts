import type { JsonObject } from '#base/json.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { buildDraft, buildPlan, type Draft } from './draft.js';
import { type PlanOptions, toEntryStamps } from './entry-stamps.js';
import { buildPatchEntries, type TransformNames } from './new-entries.js';
import type { Plan } from './plan.js';
import { draftRestore, type RestoreForm } from './restore.js';
import { resolveUndo } from './undo.js';

/** A plan, and the contexts before and after it. Nothing is written. */
export interface PlannedChange {
  readonly plan: Plan;
  readonly before: ContextEnvelope;
  readonly after: ContextEnvelope;
}

/** The plan of a draft with its contexts. Hashes the whole file of the session. */
export function buildPlannedChange(draft: Draft, command: string): PlannedChange {
  return { plan: buildPlan(draft, command), before: draft.before, after: draft.after };
}

/** The options of `planPatch`. */
export interface PatchPlanOptions extends PlanOptions, Partial<TransformNames> {
  /** The entry to append after, on a new branch (default: the leaf). */
  readonly revision?: string;
}

/**
 * Plans the transform that makes a patch part of a session, as `ctx apply` does. Throws a CtxError: input for an op that
 * breaks a rule, usage for an unknown revision, refused for a session that nothing can be appended to.
 */
export function planPatch(
  session: Session,
  patch: readonly JsonObject[],
  options: PatchPlanOptions = {},
): PlannedChange {
  const { name = 'ctx-apply', title, summary, revision = 'HEAD' } = options;
  const at = resolveRevision(session, revision);
  const names = { name, title, summary, parentId: formatId(at?.id) };
  const entries = buildPatchEntries(session, patch, { ...names, ...toEntryStamps(options) });
  return buildPlannedChange(buildDraft(session, entries, at), 'apply');
}

/** The options of `planRevert`. */
export interface RevertPlanOptions extends PlanOptions {
  /** The entries to write (default: what fits best). */
  readonly form?: RestoreForm;
}

/**
 * Plans the entries that undo a compaction, an edit, a prune or a transform, or a range `A..B` of them, as `ctx revert`
 * does. Throws a CtxError: usage where there is nothing to undo, refused where no appended entry can undo it.
 */
export function planRevert(session: Session, revision: string, options: RevertPlanOptions = {}): PlannedChange {
  const { form = null } = options;
  const { draft } = draftRestore(session, resolveUndo(session, revision), { form, ...toEntryStamps(options) });
  return buildPlannedChange(draft, 'restore');
}
