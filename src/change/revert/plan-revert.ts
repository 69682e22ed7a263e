import type { Session } from '#session/session.js';
import { type PlanOptions, toEntryStamps } from '../plan/entry-stamps.js';
import { buildPlannedChange, type PlannedChange } from '../plan/plan-change.js';
import { draftRestore, type RestoreForm } from './restore.js';
import { resolveUndo } from './undo-selection.js';

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
