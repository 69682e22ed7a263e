/**
 * Whole numbers in proportion to `weights` that add up to `total`, by default their sum rounded up: each is rounded down,
 * and those with the largest remainders, the first of equal ones, get what is left. All are 0 if no weight is above 0.
 */
export function splitInProportion(
  weights: readonly number[],
  total = Math.ceil(weights.reduce((sum, each) => sum + each, 0)),
): readonly number[] {
  const all = weights.reduce((sum, each) => sum + each, 0);
  if (all <= 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (weight / all) * total);
  const rounded = exact.map(Math.floor);
  const left = total - rounded.reduce((sum, each) => sum + each, 0);
  if (left <= 0) return rounded;
  const remainderOf = (at: number): number => (exact[at] ?? 0) - (rounded[at] ?? 0);
  const byRemainder = [...exact.keys()].toSorted((a, b) => remainderOf(b) - remainderOf(a));
  for (const at of byRemainder.slice(0, left)) rounded[at] = (rounded[at] ?? 0) + 1;
  return rounded;
}
