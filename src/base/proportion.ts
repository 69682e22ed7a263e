import { sumNumbers } from './lists.js';

/**
 * Divides `total` into whole numbers in proportion to `weights`. By default the total is the sum of the weights,
 * rounded up. Each share is rounded down. What is left goes to the largest remainders, among equal ones to the first.
 * All shares are 0 if no weight is above 0.
 */
export function splitInProportion(
  weights: readonly number[],
  total = Math.ceil(sumNumbers(weights)),
): readonly number[] {
  const all = sumNumbers(weights);
  if (all <= 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (weight / all) * total);
  const rounded = exact.map(Math.floor);
  const left = total - sumNumbers(rounded);
  if (left <= 0) return rounded;
  const remainderOf = (at: number): number => (exact[at] ?? 0) - (rounded[at] ?? 0);
  const byRemainder = [...exact.keys()].toSorted((a, b) => remainderOf(b) - remainderOf(a));
  for (const at of byRemainder.slice(0, left)) rounded[at] = (rounded[at] ?? 0) + 1;
  return rounded;
}
