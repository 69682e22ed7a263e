import * as z from 'zod/mini';
import { type Finding, findingDocument } from './finding.js';
import type { KnownFindings, KnownResult } from './known-findings.js';
import { goingOnDocument } from './provider/going-on.js';

/** The result of checking one file. */
export const checkedFileDocument = z.object({
  /** The file, as it was passed. */
  file: z.string(),
  /** The size of the file in bytes. */
  size: z.int(),
  /** Bytes of entries, headers, blanks and reported damage: equal to `size` unless ctx has a fault. */
  bytesAccountedFor: z.int(),
  /** The number of entries in all branches. */
  entries: z.int(),
  /** The number of all findings by rule, including less severe ones and those beyond the first thousand of a rule. */
  counts: z.record(z.string(), z.int()),
  /** The findings in file order, up to a thousand of each rule. */
  findings: z.array(findingDocument),
  /** Whether the agent can go on with the session. Only for Claude Code and Codex, if the rule cannot-go-on is on. */
  goingOn: z.exactOptional(goingOnDocument),
});

/** The result of checking one file: plain data. */
export interface CheckedFile extends z.infer<typeof checkedFileDocument> {
  /** The recorded findings that remain and that are gone; those that remain are neither listed nor counted. */
  readonly known?: KnownResult;
  /** All findings except notes, if they are to be recorded. */
  readonly recorded?: KnownFindings;
}

/** The rule name for a file that cannot be read. */
export const UNREADABLE = 'unreadable';

/** Builds the result for a file that could not be read, with one finding that says so. */
export function buildUnreadableFile(file: string, message: string, fix: string | null): CheckedFile {
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
