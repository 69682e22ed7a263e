import { reportDiff } from '#analysis/diff/report-diff.js';
import { asString } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { hashSource } from '#change/bytes/hash-source.js';
import { draftCopyTo, draftEditedCopy } from '#change/copy/copy-draft.js';
import { buildDraft, buildPlan, type Draft } from '#change/plan/draft.js';
import { formatResumeCommand, formatRevertCommand } from '#change/plan/next-commands.js';
import type { Plan } from '#change/plan/plan.js';
import { findUndoRevision } from '#change/plan/restore.js';
import { assertPairsIntact } from '#change/plan/separated-pairs.js';
import { hasLoneTransform, listIgnoredByStock } from '#change/plan/stock-view.js';
import type { WrittenDocument } from '#change/plan/written-document.js';
import { applyPlan } from '#change/write/apply-plan.js';
import type { ApplyOptions, WriteResult } from '#change/write/write-result.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { splitSize } from '#context/size/preamble-price.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copy.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type Outcome, toOutcome } from '../define.js';
import type { EnvelopeComparison } from '../diff/summary.js';
import type { FlagValues } from '../flags.js';
import { listPlannedLosses } from '../loss/listed-losses.js';
import { readOutputFile, toNewFile } from '../new-session.js';
import { type PlannedSession, type SessionToPlan, toRecordedLines } from '../session-to-plan.js';
import type * as shared from '../shared-flags.js';
import { assertConsent, confirmAppend } from './confirm-append.js';
import { measureEffects } from './effects.js';
import { type CopyOptions, executeCopy } from './execute-copy.js';
import { describeOverfull, findCopyWindow, type NamedWindow } from './overfull.js';
import {
  describeDestination,
  describePlan,
  type NextCommands,
  type PlanDisplay,
  renderNote,
  renderPlan,
  renderWrittenPlan,
} from './plan-view.js';

interface ExecuteOptions
  extends
    Partial<FlagValues<typeof shared.planningFlags>>,
    NamedWindow,
    Pick<CopyOptions, 'remarks' | 'caution' | 'about'> {
  /** The command's flag, if any, for entries that stock Pi honours. */
  readonly honouredBy?: string | undefined;
  /** The plan restores an earlier state, so a split between call and result is no reason to refuse. */
  readonly mayPart?: boolean;
}

/** A plan with all that is printed of it. */
interface Execution extends PlannedSession {
  readonly compared: EnvelopeComparison;
  readonly remarks: readonly string[];
  readonly options: ExecuteOptions;
}

/** Writes a plan, prints it, or saves it, as the flags say. */
export async function executePlan(io: Io, planned: PlannedSession, options: ExecuteOptions): Promise<Outcome> {
  const { session, draft, plan } = planned;
  if (!options.force && !options.mayPart) assertPairsIntact(draft, plan.command);
  const { copier } = session;
  if (copier) return executePlanAsCopy(io, planned, copier, options);

  const compared = compareContexts(planned, options);
  const remarks = [...listRemarks(planned, compared, options)];
  const execution = { ...planned, compared, remarks, options };
  const isShown = options['dry-run'] || options.plan !== undefined;
  const item = isShown ? await showPlan(io, execution) : await writePlan(io, execution);
  return toOutcome(item, session);
}

/** Writes a plan as a copy of another agent's session, prints it, or saves it. */
async function executePlanAsCopy(
  io: Io,
  planned: PlannedSession,
  copier: AgentCopier,
  options: ExecuteOptions,
): Promise<Outcome> {
  const { session, draft, plan } = planned;
  const { plan: saved, force, remarks = [] } = options;
  const copy = draftEditedCopy(draft);
  const isDry = options['dry-run'] || saved !== undefined;
  const loss = isDry ? measureEffects(planned, io.now()).loss : null;
  if (saved !== undefined) await savePlan(io, saved, nameOriginal(plan, session), force);

  const notes = saved === undefined ? remarks : [...remarks, ...describeSavedPlan(saved, ' --install')];
  const plannedCopy = { session, copier, command: plan.command, before: draft.before, copy, loss };
  return executeCopy(io, plannedCopy, { ...options, 'dry-run': isDry, remarks: notes });
}

/** A plan that names the file itself, not the records of it that a copy has. */
function nameOriginal(plan: Plan, { original }: SessionToPlan): Plan {
  if (!original) return plan;
  return { ...plan, session: { ...plan.session, size: original.size, sha256: hashSource(original) } };
}

function describeSavedPlan(file: string, flags = ''): readonly string[] {
  return [`the plan is in ${file}`, `ctx apply ${toShellWord(file)}${flags} writes it`];
}

/**
 * The contexts of a draft with the lines that the user finds: those of the file of another agent, or of the copy that is
 * written. A new entry of a dry run has none.
 */
function compareContexts({ session, draft }: PlannedSession, options: ExecuteOptions): EnvelopeComparison {
  const { before, after } = draft;
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
  const { plan: saved, output, force, about, caution = null } = options;
  if (saved !== undefined) await savePlan(io, saved, plan, force);

  const destination = output === undefined ? describeDestination(session) : { file: output };
  const title = describePlan(plan, 'would append', destination);
  const notes = saved === undefined ? remarks : [...remarks, ...describeSavedPlan(saved)];
  const effects = measureEffects({ session, draft, plan }, io.now());
  const { entries } = plan;
  const doc = renderPlan({ entries, title, caution, compared, effects, about: about?.doc, notes, next: NO_COMMANDS });

  const { cache, loss } = effects;
  const account = about && { [about.key]: about.data };
  const data = { ...plan, cache, loss: loss && listPlannedLosses(loss), notes, ...account };
  return { data, doc: () => doc };
}

const NO_COMMANDS: NextCommands = { resume: null, undo: null, redo: null };

/** Appends the entries of a plan. Without `--yes`, the user sees its effects and agrees first. */
async function writePlan(io: Io, { session, draft, plan, compared, remarks, options }: Execution): Promise<Printable> {
  const { output, force, about, caution = null } = options;
  const isInPlace = output === undefined && plan.entries.length > 0;
  if (isInPlace) assertConsent(io, plan.session.file, options);
  const isAsked = isInPlace && !options.yes;
  const undo = isInPlace ? formatUndo(draft, plan) : null;
  const display: PlanDisplay = {
    entries: plan.entries,
    title: describePlan(plan, 'would append', plan.session),
    caution,
    compared,
    effects: isAsked ? measureEffects({ session, draft, plan }, io.now()) : null,
    about: about?.doc,
    notes: remarks,
    next: plan.command === 'restore' ? { ...NO_COMMANDS, redo: undo } : { ...NO_COMMANDS, undo },
  };
  const seen = isAsked ? await confirmAppend(io, { session, plan, display }) : [];

  const written = await writeEntries(io, plan, { output, force, source: session.migration && session.source });

  const size = { before: compared.before.meta.size, after: compared.after.meta.size };
  const notes = [...remarks, ...written.notes];
  const data = buildWrittenDocument(plan, { ...written, size, notes, undo });
  const title = describePlan(plan, 'appended', { file: written.file });
  const unseen = notes.filter((note) => !seen.includes(note));
  const next = { ...display.next, resume: formatResume(plan, written.file) };
  const doc = isAsked ? renderWrittenPlan(title, unseen, next) : renderPlan({ ...display, title, notes: unseen, next });
  return { data, doc: () => doc };
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

/** A note on a change at an entry before the leaf: a branch begins there, or a copy ends there. */
export function describeBranch(at: Head, { copier }: SessionToPlan): string {
  if (copier) return `the copy ends at ${formatId(at.id)}; the original has the entries after it`;
  return `a new branch begins at ${formatId(at.id)}; the entries after it stay on their own branch`;
}

/** Sentences that the user should read, whatever is done. */
function* listRemarks(
  { session, plan }: PlannedSession,
  { report, before, after }: EnvelopeComparison,
  options: ExecuteOptions,
): Generator<string> {
  const sizes = { before: before.meta.size, after: after.meta.size };
  const written = toShellWord(readOutputFile(options) ?? session.file);
  const overfull = describeOverfull(sizes, findCopyWindow(session, options), written);
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

/** Without entries to write, the session is not touched. */
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

/** Saves a plan as JSON, for `ctx apply`. */
async function savePlan({ files }: Pick<Io, 'files'>, file: string, plan: Plan, force = false): Promise<void> {
  const { options } = toNewFile(file, [], plan.session.file, force);
  await writeNewFile(files.createNew, file, `${JSON.stringify(plan, null, 2)}\n`, options);
}

/** A plan without entries: the command found nothing to do. */
interface NothingPlanned {
  readonly outcome: Outcome;
  readonly session: SessionToPlan;
  readonly command: string;
}

/**
 * Adds to an outcome of doing nothing the file that the flags name, because a script reads it next: a plan without
 * entries, or a copy of the session. An exit code of 1 already tells the script that there is none.
 */
export async function addRequestedFile(
  io: Io,
  { outcome, session, command }: NothingPlanned,
  flags: Partial<FlagValues<typeof shared.planningFlags>>,
): Promise<Outcome> {
  const { plan: saved, force } = flags;
  const file = saved ?? readOutputFile(flags);
  if (file === null || outcome.kind !== 'single' || outcome.exitCode === 1) return outcome;
  const plan = buildPlan(buildDraft(session, []), command);
  if (saved !== undefined) await savePlan(io, saved, nameOriginal(plan, session), force);
  else if (session.copier) await copyUnchanged(io, session, session.copier, { command, output: file, force });
  else await applyPlan(io, plan, { output: file, force, source: session.migration && session.source });
  const { data, doc } = outcome.item;
  const note = saved === undefined ? `${file} is a copy of the session` : `the plan in ${file} appends nothing`;
  return { ...outcome, item: { data, doc: (view) => [...doc(view), renderNote(note)] } };
}

/** Writes a copy of another agent's session without a change. */
async function copyUnchanged(
  io: Io,
  session: SessionToPlan,
  copier: AgentCopier,
  { command, ...options }: Pick<CopyOptions, 'output' | 'force'> & { readonly command: string },
): Promise<void> {
  const copy = draftCopyTo(session, null);
  await executeCopy(
    io,
    { session, copier, command, before: copy.after, copy, loss: null },
    { ...options, configuredLimit: undefined },
  );
}
