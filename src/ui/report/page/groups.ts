import { GROUPS } from '../../look.js';

/** Sums tokens by category into tokens by group. */
export function byGroup(categories: readonly string[], ledger: readonly number[]): readonly number[] {
  return GROUPS.map(({ of }) => of.reduce((sum, category) => sum + (ledger[categories.indexOf(category)] ?? 0), 0));
}
