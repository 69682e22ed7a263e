import { buildPriceList } from '#context/models/registry.js';
import { sumRecordedCost } from '#session/recorded-cost.js';
import type { Session } from '#session/session.js';
import { countUsage } from './count-usage.js';
import type { UsageDocument } from './document.js';
import { SharedEntries } from './shared-entries.js';
import { countUnpricedCalls, toUsageDocument, type UsageCounts } from './usage-sums.js';

/**
 * The cost of a session in dollars, as `ctx stats` counts it. All calls of Pi record their cost, which is read without
 * the rest of an answer.
 */
export function sumSessionCosts(session: Session, subagents: readonly UsageCounts[] = []): SessionCosts {
  const recorded = session.agent ? null : sumRecordedCost(session);
  if (recorded !== null) return { cost: recorded, costListed: null, unpricedCalls: 0 };
  const { usage, byModel } = countUsage(session, new SharedEntries(), buildPriceList(), { subagents });
  const { costListed } = toUsageDocument(usage);
  return {
    cost: usage.cost,
    costListed,
    unpricedCalls: countUnpricedCalls([...byModel.values()].map(toUsageDocument)),
  };
}

/** Dollars, and the number of calls whose cost is not among them. */
interface SessionCosts extends Pick<UsageDocument, 'cost' | 'costListed'> {
  readonly unpricedCalls: number;
}
