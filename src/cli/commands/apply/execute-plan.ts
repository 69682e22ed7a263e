import { reportDiff } from '#analysis/diff/report-diff.js';
import { asString } from '#base/json.js';
import { draftEditedCopy } from '#change/copy/copy-draft.js';
import type { SessionToCopy } from '#change/copy/session-to-copy.js';
import type { Draft } from '#change/plan/draft.js';
import { formatResumeCommand, formatRevertCommand } from '#change/plan/next-commands.js';
import type { Plan } from '#change/plan/plan.js';
import { assertPairsIntact } from '#change/plan/separated-pairs.js';
import { listIgnoredByStock } from '#change/plan/stock-view.js';
import type { WrittenDocument } from '#change/plan/written-document.js';
import { findUndoRevision } from '#change/revert/undo-revision.js';
import { type ApplyOptions, applyPlan } from '#change/write/apply-plan.js';
import type { WriteResult } from '#change/write/write-contract.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Io } from '#platform/io.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CopyOptions, executeCopy } from '../../copy/execute-copy.js';
import { type Outcome, toOutcome } from '../define.js';
import type { EnvelopeComparison } from '../diff/summary.js';
import type { FlagValues } from '../flags.js';
import { listPlannedLosses } from '../loss/listed-losses.js';
import { readOutputFile } from '../new-session.js';
import { type DraftedPlan, type PiSession, toRecordedLines } from '../session-to-plan.js';
import type * as shared from '../shared-flags.js';
import { assertConsent, confirmAppend } from './confirm-append.js';
import { measureEffects } from './effects.js';
import { listPlanRemarks, type PlanRemarkOptions } from './plan-remarks.js';
import { describeDestination, describePlan } from './plan-title.js';
import { type NextCommands, type PlanDisplay, renderPlan, renderWrittenPlan } from './plan-view.js';
import { describeSavedPlan, savePlan } from './save-plan.js';

export interface ExecuteOptions
  extends Partial<FlagValues<typeof shared.planningFlags>>, PlanRemarkOptions, Pick<CopyOptions, 'caution' | 'about'> {
  /** The plan restores an earlier state, so a split between call and result is no reason to refuse. */
  readonly mayPart?: boolean;
}

/** A plan with all that is printed of it. */
interface Execution extends DraftedPlan<PiSession> {
  readonly compared: EnvelopeComparison;
  readonly remarks: readonly string[];
  readonly options: ExecuteOptions;
}

/** Writes a plan, prints it, or saves it, as the flags say. */
export async function executePlan(io: Io, planned: DraftedPlan, options: ExecuteOptions): Promise<Outcome> {
  const { session, draft, plan } = planned;
  if (!options.force && !options.mayPart) assertPairsIntact(draft, plan.command);
  if (session.copier) return executePlanAsCopy(io, { session, draft, plan }, options);

  const compared = compareContexts(session, draft, options);
  const remarks = [...listPlanRemarks(session, plan, { ...options, compared })];
  const execution = { session, draft, plan, compared, remarks, options };
  const isShown = options['dry-run'] || options.plan !== undefined;
  const item = isShown ? await showPlan(io, execution) : await writePlan(io, execution);
  return toOutcome(item, session);
}

/** Writes a plan as a copy of another agent's session, prints it, or saves it. */
async function executePlanAsCopy(
  io: Io,
  planned: DraftedPlan<SessionToCopy>,
  options: ExecuteOptions,
): Promise<Outcome> {
  const { session, draft, plan } = planned;
  const { plan: planFile, force, remarks = [] } = options;
  const copy = draftEditedCopy(draft);
  const isDry = options['dry-run'] || planFile !== undefined;
  const loss = isDry ? measureEffects(planned, io.now()).loss : null;
  if (planFile !== undefined) await savePlan(io, planFile, planned, force);

  const notes = planFile === undefined ? remarks : [...remarks, ...describeSavedPlan(planFile, ' --install')];
  const plannedCopy = { session, command: plan.command, copy, loss };
  return executeCopy(io, plannedCopy, { ...options, 'dry-run': isDry, remarks: notes });
}

/**
 * The contexts of a draft with the lines that the user finds: those of the file of another agent, or of the new session that
 * is written. A new entry of a dry run has none.
 */
function compareContexts(session: PiSession, { before, after }: Draft, options: ExecuteOptions): EnvelopeComparison {
  const report = reportDiff(before, after);
  if (!session.recordedLine) return { before, after, report };
  const output = readOutputFile(options);
  const placed = output === null ? toRecordedLines(after, session) : nameFile(after, output);
  return { before: toRecordedLines(before, session), after: placed, report };
}

function nameFile(envelope: ContextEnvelope, file: string): ContextEnvelope {
  return { ...envelope, session: { ...envelope.session, file } };
}

/** Saves a plan if `--plan` names a file, and reports its effects. */
async function showPlan(io: Io, { session, draft, plan, compared, remarks, options }: Execution): Promise<Printable> {
  const { plan: planFile, output, force, about, caution = null } = options;
  if (planFile !== undefined) await savePlan(io, planFile, { session, plan }, force);

  const destination = output === undefined ? describeDestination(session) : { file: output };
  const title = describePlan(plan, 'would append', destination);
  const notes = planFile === undefined ? remarks : [...remarks, ...describeSavedPlan(planFile)];
  const effects = measureEffects({ session, draft, plan }, io.now());
  const { entries } = plan;
  const doc = renderPlan({ entries, title, caution, compared, effects, about: about?.doc, notes, next: NO_COMMANDS });

  const { cache, loss } = effects;
  const account = about && { [about.key]: about.data };
  const data = { ...plan, cache, loss: loss && listPlannedLosses(loss), notes, ...account };
  return { data, doc: () => doc };
}

const NO_COMMANDS: NextCommands = { resume: null, undo: null, redo: null };

/** Appends the entries of a plan, or writes a copy with them, and reports that. */
async function writePlan(io: Io, execution: Execution): Promise<Printable> {
  const { session, draft, plan, compared, remarks, options } = execution;
  const { output, force } = options;
  const isInPlace = output === undefined && plan.entries.length > 0;
  if (isInPlace) assertConsent(io, plan.session.file, options);
  const undo = isInPlace ? formatUndo(draft, plan) : null;
  const display = describeExecution(execution, undo);
  const seen = isInPlace && !options.yes ? await askToAppend(io, execution, display) : null;

  const written = await writeEntries(io, plan, { output, force, source: session.migration && session.source });

  const size = { before: compared.before.meta.size, after: compared.after.meta.size };
  const notes = [...remarks, ...written.notes];
  const data = buildWrittenDocument(plan, { ...written, size, notes, undo });
  const title = describePlan(plan, 'appended', { file: written.file });
  const next = { ...display.next, resume: formatResume(plan, written.file) };
  if (seen === null) return { data, doc: () => renderPlan({ ...display, title, notes, next }) };
  const unseen = notes.filter((note) => !seen.includes(note));
  return { data, doc: () => renderWrittenPlan(title, unseen, next) };
}

/** All that is printed of a plan before it is written, but for its effects. */
function describeExecution({ plan, compared, remarks, options }: Execution, undo: string | null): PlanDisplay {
  return {
    entries: plan.entries,
    title: describePlan(plan, 'would append', plan.session),
    caution: options.caution ?? null,
    compared,
    effects: null,
    about: options.about?.doc,
    notes: remarks,
    next: plan.command === 'restore' ? { ...NO_COMMANDS, redo: undo } : { ...NO_COMMANDS, undo },
  };
}

/** Shows a plan with its effects, and asks the user whether to append it. Returns the notes that were printed. */
function askToAppend(io: Io, { session, draft, plan }: Execution, display: PlanDisplay): Promise<readonly string[]> {
  const effects = measureEffects({ session, draft, plan }, io.now());
  return confirmAppend(io, { session, plan, display: { ...display, effects } });
}

function formatUndo(draft: Draft, plan: Plan): string | null {
  const revision = findUndoRevision(draft);
  return revision === null ? null : formatRevertCommand(plan.session.file, revision);
}

/** The command that goes on with a session that is shorter now. */
function formatResume({ command }: Plan, file: string): string | null {
  const isShorter = command === 'compact' || command === 'prune';
  return isShorter && file !== '-' ? formatResumeCommand(file) : null;
}

/** Writes the entries of a plan. A plan without entries does not touch the session. */
async function writeEntries(io: Io, plan: Plan, options: ApplyOptions): Promise<WriteResult> {
  if (plan.entries.length > 0 || options.output !== undefined) return applyPlan(io, plan, options);
  const { file, size } = plan.session;
  return { file, oldSize: size, newSize: size, notes: [] };
}

function buildWrittenDocument(
  plan: Plan,
  { file, oldSize, newSize, size, notes, undo }: WriteResult & Pick<WrittenDocument, 'size' | 'undo'>,
): WrittenDocument {
  return {
    schema: 'ctx/written',
    schemaVersion: 1,
    command: plan.command,
    file,
    oldSize,
    newSize,
    size,
    notes,
    undo,
    ignoredByStock: [...listIgnoredByStock(plan.entries)],
    entries: plan.entries.map(({ id, type }) => ({ entryId: asString(id) ?? '', type: asString(type) ?? '' })),
    envelopeSha256: plan.predicted.sha256,
    tokens: plan.tokens,
  };
}
