import { formatCount } from './numbers.js';

/** A cost on any screen: $0.00, <$0.0001, $0.0425, $26.28, $1,204. `unknown` replaces null. */
export function formatDollars(cost: number | null, unknown = 'cost not recorded'): string {
  if (cost === null) return unknown;
  if (cost > 0 && cost < 0.00005) return '<$0.0001';
  if (cost >= 999.995) return `$${formatCount(cost)}`;
  return `$${cost.toFixed(cost > 0 && cost < 0.095 ? 4 : 2)}`;
}

/** A cost on any screen, with `~` if listed prices replace costs that are not recorded. */
export function formatRecordedCost(recorded: number | null, withListed: number | null, unknown?: string): string {
  return recorded === null && withListed !== null ? `~${formatDollars(withListed)}` : formatDollars(recorded, unknown);
}

/** Explains the `~` of `formatRecordedCost`. */
export const LISTED_PRICES_NOTE = '~ assumes the listed prices of models where no cost is recorded';
