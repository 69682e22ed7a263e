import type { BreakEven } from '#analysis/cache/break-even.js';
import { reportDiff } from '#analysis/diff/report-diff.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { toVisibleLine } from '#base/visible.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type Block, commandLine, type Doc, line, span } from '#ui/doc/doc.js';
import { renderSuggestedCommand } from '#ui/parts/suggested-command.js';
import { describeShrinking, renderCacheEffect, renderLosses } from '../commands/apply/effects-view.js';
import { renderCaution, renderNote } from '../commands/apply/plan-view.js';
import { renderDiffSummary } from '../commands/diff/summary.js';
import { toRecordedLines } from '../commands/session-to-plan.js';
import type { CopyDocument } from './document.js';
import type { PlannedCopy, WrittenCopy } from './write-copy.js';

/** A copy with all that is printed of it. */
export interface CopyReport {
  readonly planned: PlannedCopy;
  readonly written: WrittenCopy;
  readonly changes: CopyDocument['changes'];
  readonly cache: BreakEven;
  /** Sentences that the user should read. */
  readonly notes: readonly string[];
  readonly next: NextStep;
  /** The change in a few words; null for the number of its changes. */
  readonly title: string | null;
  /** The words after the title that the user must see first. */
  readonly caution: string | null;
  readonly about: CommandAccount | null;
  /** The words of the command line that was typed. */
  readonly argv: readonly string[];
}

/** A command's own account of its plan: data for programs under its own key, and a document for readers. */
export interface CommandAccount {
  readonly key: string;
  readonly data: unknown;
  readonly doc: Doc;
  /** Whether the account says all that a reader needs, so that the contexts of a copy are not compared. */
  readonly isWhole?: true;
}

/** The next step of the user; none, if the copy was not written or nothing opens it. */
export interface NextStep {
  /** Stops the agent from going on with it; null for nothing. */
  readonly stop: Stop | null;
  /** The command to run before the agent opens it; null if it can open it now. */
  readonly first: string | null;
  /** The command that opens it; null where another command comes first. */
  readonly resume: string | null;
}

/** The reason why an agent cannot go on with a copy, and the command to run before. */
export interface Stop {
  readonly why: string;
  readonly command: string;
}

/** One screen: the change, its effects, and what comes next. */
export function renderCopy(report: CopyReport): Doc {
  const { command } = report.planned;
  const { isWritten, isInstalled } = report.written;
  // A file without secrets is for other people, whose requests share no prompt cache with the original.
  const isToShare = command === 'redact' && !isInstalled;
  const isTrial = !isWritten && !isToShare;
  return [...renderEffects(report, isTrial), ...report.notes.map(renderNote), ...renderNext(report, isTrial)];
}

function* renderEffects(report: CopyReport, isTrial: boolean): Generator<Block> {
  const { planned, written, changes, cache, title, caution, about } = report;
  const { copy, loss } = planned;
  const { isWritten, isInstalled } = written;
  const writtenVerb = isInstalled ? 'installed' : 'wrote';
  const verb = isWritten ? writtenVerb : 'would write';
  yield line(span(`${verb} a copy: ${title ?? describeChanges(changes)}`, 'strong'), ...renderCaution(caution));
  yield line(describeShrinking(copy.before, copy.after));
  if (!about?.isWhole) {
    yield* renderComparison(planned, written);
    if (isTrial) yield* renderCacheEffect(cache);
  }
  if (about) yield* about.doc;
  if (!isWritten && loss) yield* renderLosses(loss);
}

/** Prints where the copy is, and the commands that come next. */
function* renderNext({ planned, written, next, argv }: CopyReport, isTrial: boolean): Generator<Block> {
  const { place, isWritten } = written;
  if (isTrial) yield renderTrialHint(argv, planned.session.agent?.title ?? 'the agent');
  if (next.stop) yield commandLine(toVisibleLine(`warning: ${next.stop.why}; run `), next.stop.command);
  if (isWritten && place !== null) yield renderPlace(place);
  if (next.first !== null) yield commandLine('first: ', next.first);
  if (next.resume !== null) yield commandLine('resume: ', next.resume);
}

function describeChanges({ dropped, replaced, undone, isCompacted, answered }: CopyDocument['changes']): string {
  const parts: string[] = [];
  if (dropped > 0) parts.push(`${pluralize(dropped, 'message')} dropped`);
  if (replaced > 0) parts.push(`${pluralize(replaced, 'message')} changed`);
  if (answered > 0) parts.push(`${pluralize(answered, 'result')} added`);
  if (isCompacted) parts.push('compacted');
  if (undone > 0) parts.push(`${pluralize(undone, 'compaction')} taken back`);
  return parts.length === 0 ? 'unchanged' : parts.join(', ');
}

/** The contexts of the session and of its copy, each with its place in its file. */
function renderComparison({ session, copy }: PlannedCopy, { built, place, isWritten }: WrittenCopy): Doc {
  const { before, after } = copy;
  return renderDiffSummary({
    before: toRecordedLines(before, session),
    after: isWritten && place !== null ? placeInCopy(after, built.context, place) : dropLine(after),
    report: reportDiff(before, after),
  });
}

/** A context at the last entry of a copy that was written. */
function placeInCopy(after: ContextEnvelope, { at }: ContextEnvelope, file: string): ContextEnvelope {
  return { ...after, at, session: { ...after.session, file } };
}

/** A context at an entry that is not written yet. */
function dropLine(envelope: ContextEnvelope): ContextEnvelope {
  return { ...envelope, at: { ...envelope.at, line: null } };
}

/** The command line that writes what a dry run showed. */
function renderTrialHint(argv: readonly string[], agent: string): Block {
  const words = argv.map((word) => (word === '--dry-run' ? '--install' : toVisibleLine(toShellWord(word))));
  if (!argv.includes('--dry-run')) return line(`next: with --install, a copy that ${agent} resumes`);
  return renderSuggestedCommand(['ctx', ...words].join(' '), `writes the copy, for ${agent} to resume`);
}

function renderPlace(place: string): Block {
  return { kind: 'whole', text: `copy: ${place}`, file: place };
}
