import { breakEven } from '#analysis/cache/break-even.js';
import { lastRequest } from '#analysis/cache/last-request.js';
import { auditLoss } from '#analysis/loss/audit.js';
import { documentOf } from '#analysis/loss/document.js';
import { extended } from '#change/plan/extended.js';
import type { Plan } from '#change/plan/plan.js';
import type { DryRun } from '#cli/schemas.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { Compared } from '../diff/view.js';
import type { PlanEffects } from './plan-effects-view.js';

interface Planned {
  readonly plan: Plan;
  readonly compared: Compared;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Effects extends PlanEffects {
  /** The plan with all of them, for programs. */
  readonly data: Plan & Pick<DryRun, 'cache' | 'loss'>;
}

/** What writing a plan costs at the cache, and what a compaction loses. */
export function effectsOf(session: Session, { plan, compared, now }: Planned): Effects {
  const last = lastRequest(session, activePath(session.tree));
  const cache = breakEven({ before: compared.before, after: compared.after, last, now });
  const longer = extended(session, plan.entries);
  const boundary = plan.command === 'compact' ? longer.tree.leaf : null;
  // What is appended may be the first transform of the session, which then has no reader for patches yet.
  const loss = boundary && auditLoss({ session: longer, readPatch }, boundary);
  return { cache, loss, data: { ...plan, cache, loss: loss && documentOf(longer, loss) } };
}
