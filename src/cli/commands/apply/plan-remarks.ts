import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import type { Plan } from '#change/plan/plan.js';
import { hasLoneTransform, listIgnoredByStock } from '#change/plan/stock-view.js';
import { describeOverfull, findSessionWindow, type NamedWindow } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { splitSize } from '#context/size/split-size.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import type { EnvelopeComparison } from '../diff/summary.js';
import { readOutputFile } from '../new-session.js';
import type { PiSession, SessionToPlan } from '../session-to-plan.js';

export interface PlanRemarkOptions extends NamedWindow {
  readonly output?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
  /** The sentences of the command itself. */
  readonly remarks?: readonly string[];
  /** The command's flag, if any, for entries that stock Pi honours. */
  readonly honouredBy?: string | undefined;
}

/** Sentences that the user should read, whatever is done. */
export function* listPlanRemarks(
  session: PiSession,
  plan: Plan,
  { compared: { report, before, after }, ...options }: PlanRemarkOptions & { readonly compared: EnvelopeComparison },
): Generator<string> {
  const sizes = { before: before.meta.size, after: after.meta.size };
  const written = toShellWord(readOutputFile(options) ?? session.file);
  const overfull = describeOverfull(sizes, findSessionWindow(session, options), written);
  if (overfull !== null) yield overfull;
  yield* session.migration ?? [];
  const { notInFile } = splitSize(before.meta.size, before.meta.tokens);
  if (notInFile > 0)
    yield `the file lacks the text of ~${pluralize(notInFile, 'token')}; the sizes share them equally among the messages`;
  yield* options.remarks ?? [];
  // A change without an effect is most likely a mistake.
  if (report.same && plan.entries.some(({ type }) => type === 'context_transform' || type === 'context_edit'))
    yield 'this changes nothing: the context stays as it is';
  yield* listIgnoredRemarks(plan.entries, options.honouredBy);
  yield* listDifferenceRemarks(session, plan);
}

/** A plan may have been saved by an older version, so its entries are looked at again. */
function listIgnoredRemarks(entries: Plan['entries'], honouredBy: string | undefined): readonly string[] {
  const ids = listIgnoredByStock(entries);
  if (ids.length === 0) return [];
  const which = ids.length === 1 ? 'this entry' : 'these entries';
  const names = entries.length === 1 ? '' : `: ${ids.join(', ')}`;
  const hint = honouredBy === undefined ? '' : `; ${honouredBy} writes what it honours`;
  return [`stock Pi ignores ${which}${names}${hint}`];
}

/** After an older dual write, what a compaction keeps may differ for stock Pi: it ignores the transforms. */
function listDifferenceRemarks(session: OpenSession, { entries, predicted }: Plan): readonly string[] {
  if (predicted.sha256 === predicted.stockSha256 || listIgnoredByStock(entries).length > 0) return [];
  if (entries.length === 0 || hasLoneTransform(session, activePath(session.tree))) return [];
  return ['stock Pi builds another context from this than readers of transforms do'];
}

/** A note on a change at an entry before the leaf: a branch begins there, or a copy ends there. */
export function describeBranch(at: Head, { copier }: SessionToPlan): string {
  if (copier) return `the copy ends at ${formatId(at.id)}; the original has the entries after it`;
  return `a new branch begins at ${formatId(at.id)}; the entries after it stay on their own branch`;
}
