import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { hashEnvelope } from '#context/replay/hash.js';
import type { Session } from '#session/session.js';
import { extended } from './extended.js';
import { beforeAndAfter } from './make.js';
import type { Plan } from './plan.js';
import { restorePlan } from './restore.js';
import { undoingOf } from './undo.js';

/**
 * The revision for `ctx restore` that gives back the context from before a plan, once the plan is written. null where
 * the plan leaves the context as it is, or a restore cannot give it back, as after `--at`.
 */
export function undoRevision(session: Session, plan: Plan): string | null {
  const before = hashEnvelope(beforeAndAfter(session, plan).before);
  const last = asString(plan.entries.at(-1)?.['id']);
  if (last === null || plan.predicted.sha256 === before) return null;
  const written = extended(session, plan.entries);
  const revisions = [last, `${plan.session.leafId}..${last}`];
  return revisions.find((revision) => restoredBy(written, revision) === before) ?? null;
}

/** The hash of the envelope that a restore gives; null where there is nothing that it can undo. */
function restoredBy(session: Session, revision: string): string | null {
  let id = 0;
  // Only the context is looked at: when and under which id the restore is written does not matter.
  const fresh = { now: () => 0, newId: () => `undo-${(id += 1)}` };
  try {
    return restorePlan(session, undoingOf(session, revision), { form: null, ...fresh }).plan.predicted.sha256;
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
