import { type BreakEven, measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest, type LastRequest } from '#analysis/cache/last-request.js';
import { auditLoss } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import type { Draft } from '#change/plan/draft.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { pathTo } from '#session/tree/tree.js';
import type { DraftedPlan, SessionToPlan } from '../session-to-plan.js';

/** The effects of a plan: its cost in the prompt cache and its losses. */
export interface PlanEffects {
  readonly cache: BreakEven;
  /** null for a plan that compacts nothing. */
  readonly loss: LossDocument | null;
}

/** Measures the cost of a plan in the prompt cache, and what its compaction loses. */
export function measureEffects({ session, draft, plan }: DraftedPlan, now: number): PlanEffects {
  const { longer, before, after } = draft;
  const cache = measureBreakEven({ before, after, last: findLastBilled(draft), now });
  const boundary = plan.command === 'compact' ? longer.tree.leaf : null;
  if (boundary === null) return { cache, loss: null };

  // The draft may add the session's first transform, so the session itself has no patch reader yet.
  const audit = auditLoss({ session: attachPatchReader(longer) }, boundary);
  return { cache, loss: toRecordedLoss(audit, session) };
}

/** The last request before a draft. A function of its own, so that the path is not held in memory any longer. */
function findLastBilled({ session, from }: Draft): LastRequest | null {
  return findLastRequest(session, from ? pathTo(session.tree, from) : []);
}

/** A loss with the lines of the file of another agent; the compaction itself is only in the import. */
function toRecordedLoss(loss: LossDocument, { recordedLine }: SessionToPlan): LossDocument {
  if (!recordedLine) return loss;
  const toRecorded = <Placed extends { readonly line: number }>(placed: Placed): Placed => ({
    ...placed,
    line: recordedLine(placed.line) ?? placed.line,
  });
  return { ...loss, left: loss.left.map(toRecorded), facts: loss.facts.map(toRecorded) };
}
