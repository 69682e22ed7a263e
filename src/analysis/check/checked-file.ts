import type * as z from 'zod/mini';
import type { checkedFile, Finding } from './document.js';
import type { KnownFindings, KnownResult } from './known-findings.js';

/** The result of checking one file: plain data. */
export interface CheckedFile extends z.infer<typeof checkedFile> {
  /** The fate of recorded findings; those that are still there are neither listed nor counted. */
  readonly known?: KnownResult;
  /** Where they are to be recorded, all findings but the notes. */
  readonly recorded?: KnownFindings;
}

/** Replaces the name of a rule where a file cannot be read. */
export const UNREADABLE = 'unreadable';

/** A file in which nothing could be checked, which is the one thing found. */
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

/** Findings of one rule beyond this number are only counted: a file may have a million of them. */
export const MOST_OF_A_RULE = 1000;

/** The findings of a session, as many as are worth listing, and how many there are of each rule. */
export class Tally {
  readonly counts = new Map<string, number>();
  private readonly listed: Finding[] = [];

  readonly add = (finding: Finding): void => {
    const count = (this.counts.get(finding.rule) ?? 0) + 1;
    this.counts.set(finding.rule, count);
    if (count <= MOST_OF_A_RULE) this.listed.push(finding);
  };

  /** In the order of the file; what is about the whole session comes first. */
  findings(): Finding[] {
    return this.listed.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }
}
