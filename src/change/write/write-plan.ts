import { nodeFiles } from '#platform/io.js';
import type { Plan } from '../plan/plan.js';
import { type Applied, type ApplyOptions, applyPlan } from './append.js';

/**
 * Appends the entries of a plan to its session: all of them or none, locked, read back and replayed. Throws a CtxError
 * (refused) if the session has changed since.
 */
export function writePlan(plan: Plan, options: ApplyOptions = {}): Promise<Applied> {
  return applyPlan({ files: nodeFiles, now: Date.now }, plan, options);
}
