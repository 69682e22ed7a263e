import { type CheckedFile, isUnreadable, UNREADABLE } from '#analysis/check/checked-file.js';
import type { RuleGroup } from '#analysis/check/define.js';
import type { Finding } from '#analysis/check/finding.js';
import type { Severity } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { VERSION } from '#base/version.js';
import type { Doc } from '#ui/doc/doc.js';
import type { Format, View } from '#ui/doc/renderer.js';

export interface RuleRun {
  readonly name: string;
  readonly group: RuleGroup;
  readonly severity: Severity;
  readonly summary: string;
  /** The help in Markdown. */
  readonly help: string;
}

/** A run of `ctx check`, as reporters receive it. */
export interface CheckResults {
  /** The checked files in order, as they become ready. They can be iterated once. */
  readonly files: AsyncIterable<readonly CheckedFile[]>;
  /** Counts the files that were taken so far, and so all of them at the end. */
  readonly totals: CheckTotals;
  readonly rules: readonly RuleRun[];
  /** Findings milder than this are counted and not shown. */
  readonly mildest: Severity;
  /** The number of warnings that do not fail the check; Infinity without a limit. */
  readonly maxWarnings: number;
  /** The only checked file, if neither the command line nor the configuration names it; else null. */
  readonly unnamed: string | null;
  /** The terminal or file that receives it; without a terminal its rows are unlimited. */
  readonly view: View;
  /** A file's path relative to the repository, as CI names it; null if it is outside. */
  pathInRepository(file: string): string | null;
}

/** One way to say what a run has found. */
export interface Reporter extends Format {
  /** The default of `--severity`: reports for programs are complete, those for people omit notes. */
  readonly mildest: Severity;
  /** Text is printed as it is, so it holds nothing of a session that could be obeyed. Documents may hold anything. */
  report(run: CheckResults): AsyncIterable<Doc | string>;
}

/** A finding's message with its place in the entry. */
export function describeFinding({ message, place }: Finding): string {
  return place === null ? message : `${message} (${place})`;
}

/** The page of a rule, as it was published with this version. */
export function rulePageUrl(rule: string): string {
  const page = rule === UNREADABLE ? 'use/check.md' : `rules/${rule}.md`;
  return `https://unpkg.com/pi-ctx@${VERSION}/docs/${page}`;
}

const SEVERITIES = ['error', 'warning', 'note'] as const satisfies readonly Severity[];

type BySeverity = Readonly<Record<Severity, number>>;

/** Counts findings, file by file. */
export class CheckTotals {
  files = 0;
  unreadable = 0;
  /** Files with findings of any kind. */
  withFindings = 0;
  readonly found: Record<Severity, number> = { error: 0, warning: 0, note: 0 };
  /** Findings that were recorded: those that are still there, which do not count, and those that are not. */
  known = 0;
  gone = 0;
  private readonly severities: ReadonlyMap<string, Severity>;

  constructor(rules: readonly Pick<RuleRun, 'name' | 'severity'>[]) {
    this.severities = new Map(rules.map(({ name, severity }) => [name, severity]));
  }

  add(file: CheckedFile): void {
    const found = this.of(file);
    this.files += 1;
    if (isUnreadable(file)) this.unreadable += 1;
    if (SEVERITIES.some((severity) => found[severity] > 0)) this.withFindings += 1;
    for (const severity of SEVERITIES) this.found[severity] += found[severity];
    this.known += file.known?.met ?? 0;
    this.gone += file.known?.gone ?? 0;
  }

  /** The findings of one file, also those that are not listed. */
  of({ counts }: CheckedFile): BySeverity {
    const found = { error: 0, warning: 0, note: 0 };
    for (const [rule, times] of Object.entries(counts)) found[this.severityOf(rule)] += times;
    return found;
  }

  private severityOf(rule: string): Severity {
    return rule === UNREADABLE ? 'error' : (this.severities.get(rule) ?? 'note');
  }
}

export function listShownFindings({ findings }: CheckedFile, { mildest }: Pick<CheckResults, 'mildest'>): Finding[] {
  return findings.filter(({ severity }) => isSeverityShown(severity, mildest));
}

export function isSeverityShown(severity: Severity, mildest: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(mildest);
}

/** `3 errors, 1 warning, 12 notes in 4 of 120 sessions`. */
export function describeTotals({ found, files, withFindings, known }: CheckTotals): string {
  const where = withFindings === files || withFindings === 0 ? '' : `${formatCount(withFindings)} of `;
  const recorded =
    known === 0 ? '' : `, and ${pluralize(known, 'finding')} that ${known === 1 ? 'is' : 'are'} recorded`;
  return `${describeCounts(found) || 'no problems'} in ${where}${pluralize(files, 'session')}${recorded}`;
}

/** `3 errors, 1 warning`, without zeros; empty for none. */
function describeCounts(found: BySeverity): string {
  const parts = SEVERITIES.flatMap((severity) => (found[severity] > 0 ? pluralize(found[severity], severity) : []));
  return parts.join(', ');
}
