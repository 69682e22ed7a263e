import type { Finding } from './define.js';

/** Findings of one rule beyond this number are only counted: a file may have a million of them. */
export const MOST_OF_A_RULE = 1000;

/** The findings of a session, as many as are worth listing, and how many there are of each rule. */
export class Tally {
  readonly counts = new Map<string, number>();
  private readonly listed: Finding[] = [];

  readonly add = (finding: Finding): void => {
    const count = (this.counts.get(finding.code) ?? 0) + 1;
    this.counts.set(finding.code, count);
    if (count <= MOST_OF_A_RULE) this.listed.push(finding);
  };

  /** In the order of the file; what is about the whole session comes first. */
  findings(): readonly Finding[] {
    return this.listed.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }
}
