import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { incrementCount } from '#base/maps.js';

/** A hit with its rule. */
export const findingDocument = z.object({
  /** Its name; `unreadable` if the file could not be checked. */
  rule: z.string(),
  /** `error` fails a check; `warning` does with `--max-warnings`; `note` never does. */
  severity: z.enum(['error', 'warning', 'note']),
  /** The finding, as a sentence. */
  message: z.string(),
  /** null for the session as a whole. */
  line: z.nullable(z.int()),
  /** null if the line has no entry, or an entry without an id. */
  entryId: z.nullable(z.string()),
  /** The bytes of the line or the damaged lines in the file. */
  offset: z.nullable(z.int()),
  /** The number of those bytes; null like `offset`. */
  length: z.nullable(z.int()),
  /** The place in the entry: `message.content[0].text`. */
  place: z.nullable(z.string()),
  /** The shortest way to repair it. */
  fix: z.nullable(z.string()),
  /** Ids of other entries that are involved. */
  related: z.array(z.string()),
  /** false: the session lacks the data of the rule, which could not look. The key is missing otherwise. */
  checked: z.optional(z.literal(false)),
});

/** One result of a rule. */
export type Finding = z.infer<typeof findingDocument>;

/** The result of checking one file. */
export const checkedFileDocument = z.object({
  /** The file, as it was passed. */
  file: z.string(),
  /** In bytes. */
  size: z.int(),
  /** Bytes of entries, headers, blanks and reported damage: equal to `size` unless ctx has a fault. */
  bytesAccountedFor: z.int(),
  /** Of all branches. */
  entries: z.int(),
  /** The number of all findings by rule, including less severe ones and those beyond the first thousand of a rule. */
  counts: z.record(z.string(), z.int()),
  /** In the order of the file, up to a thousand of each rule. */
  findings: z.array(findingDocument),
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

/** Further findings of one rule are only counted, since a file may have a million of them. */
export const MAX_LISTED_PER_RULE = 1000;

/** Collects up to a thousand findings of each rule, and counts all of them. */
export class FindingTally {
  readonly counts = new Map<string, number>();
  private readonly listed: Finding[] = [];

  readonly add = (finding: Finding): void => {
    if (incrementCount(this.counts, finding.rule) <= MAX_LISTED_PER_RULE) this.listed.push(finding);
  };

  /** In the order of the file; findings about the whole session come first. */
  findings(): Finding[] {
    return this.listed.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }
}

/**
 * The number of each finding of a session, by rule and key: the id of its entry, else a hash of its message and place.
 * Lines and the numbers of a message are not part of the key, since they change. Plain data.
 */
export type KnownFindings = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface KnownResult {
  /** Findings that remain, and do not count. */
  readonly met: number;
  readonly gone: number;
}

/** The key for a rule with more findings than are listed: only their number is recorded. */
const ANY = '*';

/** Records findings, so that later only new ones count. Notes never count, so they are omitted. */
export class FindingRecorder {
  private readonly rules = new Map<string, Map<string, number>>();
  private readonly totals = new Map<string, number>();

  readonly add = (finding: Finding): void => {
    const { rule, severity } = finding;
    if (severity === 'note') return;
    if (incrementCount(this.totals, rule) > MAX_LISTED_PER_RULE) return;
    const keys = this.rules.get(rule) ?? new Map<string, number>();
    this.rules.set(rule, keys);
    incrementCount(keys, keyOf(finding));
  };

  /** The recording, sorted by rule and key, so that two recordings can be compared. */
  findings(): KnownFindings {
    const rules = [...this.rules].map(([rule, keys]): [string, Readonly<Record<string, number>>] => {
      const total = this.totals.get(rule) ?? 0;
      return [rule, total > MAX_LISTED_PER_RULE ? { [ANY]: total } : Object.fromEntries([...keys].toSorted(byName))];
    });
    return Object.fromEntries(rules.toSorted(byName));
  }
}

/** Distinguishes recorded findings from new ones. */
export class KnownFindingFilter {
  private met = 0;
  private readonly left = new Map<string, Map<string, number>>();

  constructor(known: KnownFindings) {
    for (const [rule, keys] of Object.entries(known)) this.left.set(rule, new Map(Object.entries(keys)));
  }

  /** Whether a finding was recorded; of equal findings, at most the recorded number. */
  takes(finding: Finding): boolean {
    const keys = this.left.get(finding.rule);
    if (!keys || finding.severity === 'note') return false;
    const key = [ANY, keyOf(finding), oldKeyOf(finding)].find((one) => (keys.get(one) ?? 0) > 0);
    if (key === undefined) return false;
    keys.set(key, (keys.get(key) ?? 0) - 1);
    this.met += 1;
    return true;
  }

  /** Counts the remaining and gone findings; those of rules that did not run are in neither number. */
  result(ran: ReadonlySet<string>): KnownResult {
    const rules = [...this.left].filter(([rule]) => ran.has(rule));
    const gone = rules.flatMap(([, keys]) => [...keys.values()]).reduce((sum, left) => sum + left, 0);
    return { met: this.met, gone };
  }
}

const LONGEST_ID = 64;

function keyOf({ entryId, message, place }: Finding): string {
  if (entryId !== null && entryId.length <= LONGEST_ID) return `entry:${entryId}`;
  return hashOf([entryId, message.replaceAll(NUMBERS, '#'), place]);
}

/** Amounts in the message of a finding change while a session grows. */
const NUMBERS = /[0-9]+(?:[.,][0-9]+)*(?: bytes|[kMG]i?B?)?/g;

/** The key that earlier versions recorded, with the numbers of the message. */
function oldKeyOf({ entryId, message, place }: Finding): string {
  return hashOf([entryId, message, place]);
}

function hashOf(parts: readonly unknown[]): string {
  return `hash:${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)}`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
