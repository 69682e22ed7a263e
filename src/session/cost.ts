import { asCount, isObject } from '#base/json.js';
import type { Session } from './session.js';

/**
 * What was recorded that a session has cost, in dollars, null where no entry says so. Every branch has been paid for,
 * so every entry counts.
 */
export function costOf(session: Session): number | null {
  let sum: number | null = null;
  for (const head of session.tree.heads) {
    if (head.usageLength === 0) continue;
    const cost = session.usage(head)?.['cost'];
    const total = isObject(cost) ? asCount(cost['total']) : null;
    if (total !== null) sum = (sum ?? 0) + total;
  }
  return sum;
}
