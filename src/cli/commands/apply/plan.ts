import { measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest, type LastRequest } from '#analysis/cache/last-request.js';
import { reportDiff } from '#analysis/diff/report-diff.js';
import { auditLoss } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
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
import { toReplayable } from '#context/ops/read-patch.js';
import { splitSize } from '#context/size/preamble-price.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copy.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath, pathTo } from '#session/tree/tree.js';
import type { Doc } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { Outcome } from '../define.js';
import type { EnvelopeComparison } from '../diff/summary.js';
import { type FlagValues, rareFlag, textFlag, toggleFlag } from '../flags.js';
import { listPlannedLosses } from '../loss/listed-losses.js';
import { readOutputFile, toNewFile } from '../new-session.js';
import type { SessionToPlan } from '../session-to-plan.js';
import * as shared from '../shared-flags.js';
import { type CopyOptions, executeCopy } from './execute-copy.js';
import { describeOverfull, findCopyWindow, type NamedWindow } from './overfull.js';
import {
  assertConsent,
  confirmAppend,
  describeDestination,
  describePlan,
  type PlanDisplay,
  renderNote,
  renderPlan,
  renderWrittenPlan,
  toRecordedLines,
} from './plan-view.js';

/** The flags of every command that writes. */
export const WRITING_FLAGS = {
  'dry-run': shared.dryRun,
  output: { ...textFlag('FILE', 'write a copy with the new entries, and leave the session unchanged'), short: 'o' },
  yes: {
    ...toggleFlag('append without asking for confirmation; needed where there is no terminal to ask on'),
    short: 'y',
  },
  force: rareFlag(toggleFlag('replace files that exist, and skip checks whose error mentions --force')),
};

/** And of those that write a copy of another agent's session. */
export const COPYING_FLAGS = { ...WRITING_FLAGS, install: shared.install };

/** And of those that make a plan that can be saved. */
export const PLANNING_FLAGS = {
  ...WRITING_FLAGS,
  install: { ...shared.install, excludes: [...shared.install.excludes, 'plan'] },
  plan: {
    ...rareFlag(textFlag('FILE', 'save the plan instead, also with --dry-run; ctx apply FILE appends it')),
    excludes: ['output'],
  },
};

interface ExecuteOptions extends Partial<FlagValues<typeof PLANNING_FLAGS>>, NamedWindow {
  /** The command's flag, if any, for entries that stock Pi honours. */
  readonly honouredBy?: string | undefined;
  /** The plan restores an earlier state, so a split between call and result is no reason to refuse. */
  readonly mayPart?: boolean;
  /** The words after the title that the user must see first. */
  readonly caution?: string | null;
  /** Sentences that the user should read, whatever is done. */
  readonly remarks?: readonly string[];
  /** The command's own account of its plan: a document for readers, and data for programs under its own key. */
  readonly about?: { readonly key: string; readonly data: unknown; readonly doc: Doc };
}

/** A plan and its draft. A saved plan may describe an earlier state of the session. */
export interface PlannedSession {
  readonly session: SessionToPlan;
  readonly draft: Draft;
  readonly plan: Plan;
}

/** A plan with all that is printed of it. */
interface Execution extends PlannedSession {
  readonly compared: EnvelopeComparison;
  readonly remarks: readonly string[];
  readonly flags: ExecuteOptions;
}

/** Writes a plan, prints it, or saves it, as the flags say. */
export async function executePlan(io: Io, planned: PlannedSession, flags: ExecuteOptions): Promise<Outcome> {
  const { session, draft } = planned;
  const { before, after } = draft;
  const compared = { ...toFilePlaces(planned, flags), report: reportDiff(before, after) };
  const { 'dry-run': isDry, plan: saved, force = false } = flags;
  if (!force && !flags.mayPart) assertPairsIntact(draft, planned.plan.command);
  const { copier } = session;
  if (copier) return executePlanOfCopy(io, { ...planned, session: { ...session, copier } }, flags);
  const sizes = { before: before.meta.size, after: after.meta.size };
  const longer = toShellWord(readOutputFile(flags) ?? session.file);
  const overfull = describeOverfull(sizes, findCopyWindow(session, flags), longer);
  const remarks = [...(overfull === null ? [] : [overfull]), ...listRemarks(planned, compared, flags)];
  const execution = { ...planned, compared, remarks, flags };
  const item = isDry || saved !== undefined ? await showPlan(io, execution) : await writePlan(io, execution);
  return { kind: 'single', item, problems: session.problems, file: session.file };
}

/** Writes a plan as a copy of another agent's session, prints it, or saves it. */
async function executePlanOfCopy(
  io: Io,
  { session, draft, plan }: PlannedSession & { readonly session: { readonly copier: AgentCopier } },
  flags: ExecuteOptions,
): Promise<Outcome> {
  const { plan: saved, force, remarks = [] } = flags;
  const isDry = flags['dry-run'] || saved !== undefined;
  const copy = draftEditedCopy(draft);
  const loss = isDry ? measureEffects({ session, draft, plan }, io.now()).loss : null;
  if (saved !== undefined) await savePlan(io, saved, nameOriginal(plan, session), force);
  const notes = saved === undefined ? remarks : [...remarks, ...describeSavedPlan(saved, ' --install')];
  const planned = { session, copier: session.copier, command: plan.command, before: draft.before, copy, loss };
  return executeCopy(io, planned, { ...flags, 'dry-run': isDry, remarks: notes });
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
function toFilePlaces({ session, draft }: PlannedSession, { 'dry-run': isDry, output }: ExecuteOptions) {
  const { before, after } = draft;
  if (!session.recordedLine) return { before, after };
  const isWritten = !isDry && output !== undefined;
  return {
    before: toRecordedLines(before, session),
    after: isWritten ? { ...after, session: { ...after.session, file: output } } : toRecordedLines(after, session),
  };
}

/** Saves a plan if `--plan` names a file, and reports its effects. */
async function showPlan(io: Io, { session, draft, plan, compared, remarks, flags }: Execution): Promise<Printable> {
  const { plan: saved, output, force = false, about, caution = null } = flags;
  if (saved !== undefined) await savePlan(io, saved, plan, force);
  const title = describePlan(
    plan,
    'would append',
    output === undefined ? describeDestination(session) : { file: output },
  );
  const notes = saved === undefined ? remarks : [...remarks, ...describeSavedPlan(saved)];
  const effects = measureEffects({ session, draft, plan }, io.now());
  const doc = renderPlan({ entries: plan.entries, title, caution, compared, effects, about: about?.doc, notes });
  const data = { ...effects.data, notes, ...(about && { [about.key]: about.data }) };
  return { data, doc: () => doc };
}

/** Appends the entries of a plan. Without `--yes`, the user sees its effects and agrees first. */
async function writePlan(io: Io, { session, draft, plan, compared, remarks, flags }: Execution): Promise<Printable> {
  const { output, force } = flags;
  const isInPlace = output === undefined && plan.entries.length > 0;
  const about = flags.about?.doc;
  const isAsked = isInPlace && !flags.yes;
  if (isInPlace) assertConsent(io, plan.session.file, flags);
  const undo = isInPlace ? formatUndo(draft, plan) : null;
  const back = plan.command === 'restore' ? { undo: null, redo: undo } : { undo, redo: null };
  const planned: PlanDisplay = {
    entries: plan.entries,
    title: describePlan(plan, 'would append', plan.session),
    caution: flags.caution ?? null,
    compared,
    effects: isAsked ? measureEffects({ session, draft, plan }, io.now()) : null,
    about,
    notes: remarks,
  };
  const seen = isAsked ? await confirmAppend(io, { session, plan, planned: { ...planned, ...back } }) : [];
  const size = { before: compared.before.meta.size, after: compared.after.meta.size };
  const applied = await writeEntries(io, plan, { output, force, source: session.migration && session.source });
  const notes = [...remarks, ...applied.notes];
  const data = buildWrittenDocument(plan, { ...applied, size, notes, undo });
  const unseen = notes.filter((note) => !seen.includes(note));
  const title = describePlan(plan, 'appended', { file: applied.file });
  const isShorter = plan.command === 'compact' || plan.command === 'prune';
  const resume = isShorter && applied.file !== '-' ? formatResumeCommand(applied.file) : null;
  const doc = isAsked
    ? renderWrittenPlan(title, unseen, { resume, ...back })
    : renderPlan({ ...planned, title, notes: unseen, resume, ...back });
  return { data, doc: () => doc };
}

/** A note on a change at an entry before the leaf: a branch begins there, or a copy ends there. */
export function describeBranch(at: Head, { copier }: SessionToPlan): string {
  if (copier) return `the copy ends at ${formatId(at.id)}; the original has the entries after it`;
  return `a new branch begins at ${formatId(at.id)}; the entries after it stay on their own branch`;
}

function formatUndo(draft: Draft, plan: Plan): string | null {
  const revision = findUndoRevision(draft);
  return revision === null ? null : formatRevertCommand(plan.session.file, revision);
}

function* listRemarks(
  { session, plan }: PlannedSession,
  { report, before }: EnvelopeComparison,
  flags: ExecuteOptions,
): Generator<string> {
  yield* session.migration ?? [];
  const { notInFile } = splitSize(before.meta.size, before.meta.tokens);
  if (notInFile > 0)
    yield `the file lacks the text of ~${pluralize(notInFile, 'token')}; the sizes share them equally among the messages`;
  yield* flags.remarks ?? [];
  // A change without an effect is most likely a mistake.
  if (report.same && plan.entries.some(({ type }) => type === 'context_transform' || type === 'context_edit'))
    yield 'this changes nothing: the context stays as it is';
  yield* listIgnoredRemarks(plan.entries, flags.honouredBy);
  yield* listDifferenceRemarks(session, plan);
}

/** A plan may have been saved by an older version, so its entries are looked at again. */
function listIgnoredRemarks(entries: Plan['entries'], honouredBy: string | undefined): readonly string[] {
  const ids = listIgnoredByStock(entries);
  if (ids.length === 0) return [];
  const which = ids.length === 1 ? 'this entry' : 'these entries';
  const names = entries.length === 1 ? '' : `: ${ids.join(', ')}`;
  return [
    `stock Pi ignores ${which}${names}${honouredBy === undefined ? '' : `; ${honouredBy} writes what it honours`}`,
  ];
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

/** The cost of writing a draft at the cache, and what a compaction loses; `data`: the plan with both, for programs. */
function measureEffects({ session: planned, draft, plan }: PlannedSession, now: number) {
  const { longer, before, after } = draft;
  const cache = measureBreakEven({ before, after, last: findLastBilled(draft), now });
  const boundary = plan.command === 'compact' ? longer.tree.leaf : null;
  // The draft may add the session's first transform, so the session itself has no patch reader yet.
  const audit = boundary && auditLoss({ session: toReplayable(longer) }, boundary);
  const loss = audit && toRecordedLoss(audit, planned);
  return { cache, loss, data: { ...plan, cache, loss: loss && listPlannedLosses(loss) } };
}

/** The last request before a draft. A function of its own, so that the path is not held in memory any longer. */
function findLastBilled({ session, from }: Draft): LastRequest | null {
  return findLastRequest(session, from ? pathTo(session.tree, from) : []);
}

/** A loss with the lines of the file of another agent; the compaction itself is only in the import. */
function toRecordedLoss(loss: LossDocument, { recordedLine }: SessionToPlan): LossDocument {
  if (!recordedLine) return loss;
  const toRecorded = <Placed extends { readonly line: number }>(placed: Placed): Placed => ({
    ...placed,
    line: recordedLine(placed.line) ?? placed.line,
  });
  return { ...loss, left: loss.left.map(toRecorded), facts: loss.facts.map(toRecorded) };
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
  flags: Partial<FlagValues<typeof PLANNING_FLAGS>>,
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
