import { formatDuration } from '#base/duration.js';
import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import type { Plan } from '#change/plan/plan.js';
import { listWriteNotes } from '#change/write/append-to-session.js';
import { renderForErrors } from '#cli/output/print-failure.js';
import type { OpenSession } from '#context/open.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { line } from '#ui/doc/doc.js';
import { renderDiffLine } from '../diff/summary.js';
import { type PlanDisplay, renderPlan } from './plan-view.js';

/** Throws a CtxError (refused) for an append without the consent of `--yes` and without a terminal to ask on. */
export function assertConsent(
  io: Pick<Io, 'canAsk'>,
  file: string,
  { yes }: { readonly yes?: boolean | undefined },
): void {
  if (yes || io.canAsk()) return;
  throw new CtxError('refused', 'there is no terminal to ask on; nothing was written', {
    where: file,
    hint: 'add --dry-run to see the effect, or --yes to write',
  });
}

interface Question {
  readonly session: OpenSession;
  readonly plan: Plan;
  /** The effects of the plan, with the sentences that the user should read first, and how it is undone. */
  readonly display: PlanDisplay;
}

/**
 * Shows the effects of a plan and asks the user whether to append it. Returns the notes printed before the question.
 * Throws a CtxError (refused) for any answer but yes.
 */
export async function confirmAppend(io: Io, { session, plan, display }: Question): Promise<readonly string[]> {
  const { file } = plan.session;
  const age = io.now() - io.files.modified(file);
  const watchers = await io.files.processesWith(file);
  const notes = [...display.notes, ...listWriteNotes({ recovered: 'none', watchers, age })];

  // A long plan has moved its figures out of the screen, so they come again before the question.
  const figures = renderDiffLine(display.compared);
  const doc = [...renderPlan({ ...display, notes }), figures, line(describeQuestion(session, plan, age))];
  const question = (await renderForErrors(io, doc)).trimEnd();

  const answer = await io.ask(`${question} `);
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return notes;
  throw new CtxError('refused', 'not confirmed; nothing was written', {
    where: file,
    hint: 'answer y, or pass --yes',
  });
}

function describeQuestion(session: OpenSession, { entries }: Plan, age: number): string {
  const { cwd } = session.header;
  const about = [`${formatDuration(age / 1000)} old`, ...(cwd === null ? [] : [cwd])];
  return `Append ${pluralize(entries.length, 'entry', 'entries')} to "${findSessionTitle(session)}" (${about.join(', ')})? [y/N]`;
}
