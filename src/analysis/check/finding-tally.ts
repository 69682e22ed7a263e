import { sortByLine } from '#base/errors.js';
import { incrementCount } from '#base/maps.js';
import type { Finding } from './finding.js';

/** Further findings of one rule are only counted, since a file may have a million of them. */
export const MAX_LISTED_PER_RULE = 1000;

/** Collects up to a thousand findings of each rule, and counts all of them. */
export class FindingTally {
  readonly counts = new Map<string, number>();
  private readonly listed: Finding[] = [];

  readonly add = (finding: Finding): void => {
    if (incrementCount(this.counts, finding.rule) <= MAX_LISTED_PER_RULE) this.listed.push(finding);
  };

  /** Lists the findings in file order. Those about the whole session come first. */
  listFindings(): Finding[] {
    return sortByLine(this.listed);
  }
}
