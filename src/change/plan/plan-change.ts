import type { JsonObject } from '#base/json.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { buildDraft, buildPlan, type Draft } from './draft.js';
import { type PlanOptions, toEntryStamps } from './entry-stamps.js';
import { buildPatchEntries, type TransformNames } from './new-entries.js';
import type { Plan } from './plan.js';

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
