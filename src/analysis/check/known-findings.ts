import { createHash } from 'node:crypto';
import { incrementCount } from '#base/maps.js';
import { MAX_LISTED_PER_RULE } from './finding-tally.js';
import type { Finding } from './finding.js';

/**
 * The number of each finding of a session, by rule and key: the id of its entry, else a hash of its message and place.
 * Lines and the numbers of a message are not part of the key, since they change. Plain data.
 */
export type KnownFindings = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface KnownResult {
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
    incrementCount(keys, buildKey(finding));
  };

  /** The recording, sorted by rule and key, so that two recordings can be compared. */
  findings(): KnownFindings {
    const rules = [...this.rules].map(([rule, keys]): [string, Readonly<Record<string, number>>] => {
      const total = this.totals.get(rule) ?? 0;
      return [
        rule,
        total > MAX_LISTED_PER_RULE ? { [ANY]: total } : Object.fromEntries([...keys].toSorted(compareNames)),
      ];
    });
    return Object.fromEntries(rules.toSorted(compareNames));
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
    const key = [ANY, buildKey(finding), buildOldKey(finding)].find((one) => (keys.get(one) ?? 0) > 0);
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

function buildKey({ entryId, message, place }: Finding): string {
  if (entryId !== null && entryId.length <= LONGEST_ID) return `entry:${entryId}`;
  return hashParts([entryId, message.replaceAll(NUMBERS, '#'), place]);
}

/** Amounts in the message of a finding change while a session grows. */
const NUMBERS = /[0-9]+(?:[.,][0-9]+)*(?: bytes|[kMG]i?B?)?/g;

/** The key that earlier versions recorded, with the numbers of the message. */
function buildOldKey({ entryId, message, place }: Finding): string {
  return hashParts([entryId, message, place]);
}

function hashParts(parts: readonly unknown[]): string {
  return `hash:${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)}`;
}

function compareNames([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
