import { costKnown, type UsageSums } from '#analysis/stats/usage-sums.js';
import { dollars } from '#base/words.js';
import { type Doc, line, span } from '#ui/doc/doc.js';

/** The cost of calls: `~` where a part of it is at listed prices, `?` where it is unknown. */
export function usageCost(sums: UsageSums, isCostRecorded: boolean): string {
  if (sums.costListed > 0) return `~${dollars(costKnown(sums))}`;
  return isCostRecorded ? dollars(sums.cost) : '?';
}

/** A line for a table of costs, where some have a `~`. */
export function listedNote({ costListed }: UsageSums): Doc {
  return costListed > 0
    ? [line(span('  ~ assumes the listed prices of models where no cost is recorded', 'faint'))]
    : [];
}
