import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { Group } from '#analysis/check/define.js';
import type { Severity } from '#base/errors.js';
import type { Format, View } from '#ui/doc/define.js';
import type { Doc } from '#ui/doc/doc.js';
import type { Totals } from './totals.js';

/** A rule that was on. */
export interface RanRule {
  readonly name: string;
  readonly group: Group;
  readonly severity: Severity;
  readonly summary: string;
  /** In Markdown. */
  readonly help: string;
}

/** A run of `ctx check`, as reporters are told of it. */
export interface CheckRun {
  /** The files in their order, as they are done. They can be gone through once. */
  readonly files: AsyncIterable<readonly CheckedFile[]>;
  /** Counts the files that were taken so far, and so all of them at the end. */
  readonly totals: Totals;
  readonly rules: readonly RanRule[];
  /** Findings milder than this are counted and not shown. */
  readonly mildest: Severity;
  /** Warnings that make no failure; Infinity where nobody limits them. */
  readonly maxWarnings: number;
  /** Where it will be read; without a terminal there is no end to its rows. */
  readonly view: View;
  /** A file as CI knows it: its path from the folder of the repository, null where it is not below that. */
  pathInRepository(file: string): string | null;
}

/** One way to say what a run has found. */
export interface Reporter extends Format {
  /** What it shows where nobody says it: data is whole, people are not told of notes. */
  readonly mildest: Severity;
  /** Text is printed as it is, so it holds nothing of a session that could be obeyed. Documents may hold anything. */
  report(run: CheckRun): AsyncIterable<Doc | string>;
}
