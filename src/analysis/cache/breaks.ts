import { costText } from '#base/words.js';
import type { CacheBreak, RebilledCost } from './document.js';

/** The causes of cache breaks. */
export const CLASSES = [
  'compaction',
  'transform',
  'edit',
  'system',
  'tools',
  'tool order',
  'model switch',
  'thinking level',
  'ttl',
  'image',
  'branch',
  'extension',
  'unexplained',
] as const;

export type BreakClass = (typeof CLASSES)[number];

/** The tokens that a break re-sent: the recorded ones, else the estimated ones. */
export function rebilledBy({ rebilledTokens, rebilledTokensEstimated }: CacheBreak): number {
  return rebilledTokens ?? rebilledTokensEstimated ?? 0;
}

/** Whether a cost is known by listed prices alone. */
export function isCostListed({ rebilledCost, rebilledCostListed }: RebilledCost): boolean {
  return rebilledCost === null && rebilledCostListed !== null;
}

/** `unknown` replaces a cost of a model without recorded rates and listed prices. */
export function rebilledCostText({ rebilledCost, rebilledCostListed }: RebilledCost, unknown?: string): string {
  return costText(rebilledCost, rebilledCostListed, unknown);
}
