import { formatDay } from '#base/local-time.js';
import type { PriceList } from '#context/models/prices.js';
import { addClientTotals } from '../stats/client-totals.js';
import type { UsageCounts } from '../stats/usage-sums.js';
import type { RunningFigures } from './running-figures.js';

/**
 * The usage of a session as `ctx stats` counts it: with the sums of its client, which include those of its subagents.
 */
export function completeUsage(
  { usage, client }: Pick<RunningFigures, 'usage' | 'client'>,
  subagents: readonly UsageCounts[],
  priceList: PriceList,
): UsageCounts {
  if (client === null) return usage;
  const { totals, covered } = client;
  const how = { covered, elsewhere: subagents, day: formatDay(Number.NaN, null), findGroup: null, priceList };
  return addClientTotals(usage, totals, how).counts;
}
