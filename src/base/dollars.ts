import { formatCount } from './numbers.js';
import { splitInProportion } from './proportion.js';

/** A cost on any screen: $0.00, <$0.0001, $0.0425, $26.28, $1,204. `unknown` replaces null. */
export function formatDollars(cost: number | null, unknown = 'cost not recorded'): string {
  if (cost === null) return unknown;
  if (cost > 0 && cost < 0.00005) return '<$0.0001';
  return formatDollarsTo(cost, countDollarDigits(cost));
}

/** The digits after the point with which a cost is printed. */
export function countDollarDigits(cost: number): number {
  if (cost >= 999.995) return 0;
  return cost > 0 && cost < 0.095 ? 4 : 2;
}

/** A cost with a number of digits after the point, for columns that add up. */
export function formatDollarsTo(cost: number, digits: number): string {
  return `$${digits === 0 ? formatCount(cost) : cost.toFixed(digits)}`;
}

/** Dollars in proportion to `parts`, rounded to a number of digits so that they add up to the rounded whole. */
export function splitDollars(whole: number, parts: readonly number[], digits: number): readonly number[] {
  const scale = 10 ** digits;
  const units = Math.round(Number(whole.toFixed(digits)) * scale);
  return splitInProportion(parts, units).map((share) => share / scale);
}

/** A cost on any screen, with `~` if listed prices replace costs that are not recorded. */
export function formatRecordedCost(recorded: number | null, withListed: number | null, unknown?: string): string {
  return recorded === null && withListed !== null ? `~${formatDollars(withListed)}` : formatDollars(recorded, unknown);
}

/** Explains the `~` of `formatRecordedCost`. */
export const LISTED_PRICES_NOTE = '~ assumes the listed prices of models where no cost is recorded';
