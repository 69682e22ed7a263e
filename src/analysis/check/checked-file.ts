import type * as z from 'zod/mini';
import type { checkedFile, Finding } from './document.js';
import type { KnownFindings, KnownResult } from './known-findings.js';

/** The result of checking one file: plain data. */
export interface CheckedFile extends z.infer<typeof checkedFile> {
  /** The recorded findings that remain and that are gone; those that remain are neither listed nor counted. */
  readonly known?: KnownResult;
  /** All findings except notes, if they are to be recorded. */
  readonly recorded?: KnownFindings;
}

/** The rule name for a file that cannot be read. */
export const UNREADABLE = 'unreadable';

/** Builds the result for a file that could not be read, with one finding that says so. */
export function unreadableFile(file: string, message: string, fix: string | null): CheckedFile {
  const finding: Finding = {
    rule: UNREADABLE,
    severity: 'error',
    message,
    line: null,
    entryId: null,
    offset: null,
    length: null,
    place: null,
    fix,
    related: [],
  };
  return { file, size: 0, bytesAccountedFor: 0, entries: 0, counts: { [UNREADABLE]: 1 }, findings: [finding] };
}

export function isUnreadable({ counts }: CheckedFile): boolean {
  return Object.hasOwn(counts, UNREADABLE);
}

/** Further findings of one rule are only counted, since a file may have a million of them. */
export const MOST_OF_A_RULE = 1000;

/** Collects up to a thousand findings of each rule, and counts all of them. */
export class Tally {
  readonly counts = new Map<string, number>();
  private readonly listed: Finding[] = [];

  readonly add = (finding: Finding): void => {
    const count = (this.counts.get(finding.rule) ?? 0) + 1;
    this.counts.set(finding.rule, count);
    if (count <= MOST_OF_A_RULE) this.listed.push(finding);
  };

  /** In the order of the file; findings about the whole session come first. */
  findings(): Finding[] {
    return this.listed.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }
}
