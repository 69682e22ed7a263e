import { formatRecordedCost } from '#base/dollars.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { CacheBreak, CacheSummary, RebilledCost } from './document.js';

/** The tokens that a break re-sent: the recorded ones, else the estimated ones. */
export function rebilledTokensOf({ rebilledTokens, rebilledTokensEstimated }: CacheBreak): number {
  return rebilledTokens ?? rebilledTokensEstimated ?? 0;
}

/** Whether a cost is known by listed prices alone. */
export function isCostListed({ rebilledCost, rebilledCostListed }: RebilledCost): boolean {
  return rebilledCost === null && rebilledCostListed !== null;
}

/** `unknown` replaces a cost of a model without recorded rates and listed prices. */
export function describeRebilledCost({ rebilledCost, rebilledCostListed }: RebilledCost, unknown?: string): string {
  return formatRecordedCost(rebilledCost, rebilledCostListed, unknown);
}

/** The recorded tokens with their cost, and the estimated ones of breaks without a record. */
export function describeRebilledSum(summary: CacheSummary): string {
  const { rebilledTokens: recorded, rebilledTokensEstimated: estimated } = summary;
  if (recorded === 0 && estimated > 0) return `~${pluralize(estimated, 'token')}, estimated`;
  const more = estimated === 0 ? '' : `; ~${formatCount(estimated)} more, estimated`;
  return `${formatCount(recorded)} tokens, ${describeRebilledCost(summary)}${more}`;
}

/** Sums the costs of breaks; null if one of them is unknown. */
export function sumBreakCosts(breaks: readonly RebilledCost[]): RebilledCost {
  return {
    rebilledCost: sumIfAllKnown(breaks.map(({ rebilledCost }) => rebilledCost)),
    rebilledCostListed: sumIfAllKnown(breaks.map(({ rebilledCostListed }) => rebilledCostListed)),
  };
}

function sumIfAllKnown(costs: readonly (number | null)[]): number | null {
  return costs.includes(null) ? null : sumBy(costs, (cost) => cost ?? 0);
}
