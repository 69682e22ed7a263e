import path from 'node:path';
import * as z from 'zod/mini';
import { type BreakEven, breakEvenDocument, measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest } from '#analysis/cache/last-request.js';
import { reportDiff } from '#analysis/diff/report-diff.js';
import { lossDocument, type LossDocument } from '#analysis/loss/document.js';
import { CtxError } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { jsonDocument } from '#base/schema.js';
import { toShellWord } from '#base/shell.js';
import { formatTime } from '#base/time.js';
import { buildUuid } from '#base/uuid.js';
import { toVisibleLine } from '#base/visible.js';
import { buildCopy, type BuiltCopy } from '#change/copy/build-copy.js';
import { type CopyDraft } from '#change/copy/copy-draft.js';
import { findFormat } from '#change/copy/session-to-copy.js';
import { pruneDocument } from '#change/prune/document.js';
import { formatResumeLine } from '#cli/resume-command.js';
import { type ContextEnvelope, contextSize, tokenCount } from '#context/replay/envelope.js';
import { type FilePart, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copy.js';
import { activePath } from '#session/tree/tree.js';
import { commandLine, type Doc, line, span } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { renderDiffSummary } from '../diff/summary.js';
import { extractionDocument } from '../extract/document.js';
import { listPlannedLosses } from '../loss/listed-losses.js';
import { createUnchangedCheck, toNewFile } from '../new-session.js';
import { redactionAccount } from '../redact/document.js';
import { copyRepairDocument } from '../repair/copy-document.js';
import type { SessionToPlan } from '../session-to-plan.js';
import { describeOverfull, findCopyWindow, formatShortening, type NamedWindow } from './overfull.js';
import {
  describeShrinking,
  renderCacheEffect,
  renderCaution,
  renderLosses,
  renderNote,
  toRecordedLines,
} from './plan-view.js';
import { copySideFiles, listSideFiles, type SideFiles } from './side-files.js';

/** A copy of another agent's session that a command writes, or would write. */
export const copyDocument = jsonDocument('ctx/copy', {
  /** The command that made it. */
  command: z.string(),
  /** The agent, as `--agent` names it. */
  agent: z.string(),
  /** The session that is copied, which stays as it is. */
  original: z.object({ file: z.string(), sessionId: z.string() }),
  /** The copy; `file` is null in a dry run, `bytes` is its size. */
  copy: z.object({
    file: z.nullable(z.string()),
    sessionId: z.string(),
    bytes: z.int(),
    isInstalled: z.boolean(),
    /** The number of files that belong to it, such as those of subagents; 0 unless it is installed. */
    sideFiles: z.int(),
  }),
  /** The messages that it lacks, those with another content, the compactions that it takes back, and whether it adds one. */
  changes: z.object({
    dropped: z.int(),
    replaced: z.int(),
    undone: z.int(),
    isCompacted: z.boolean(),
    /** The results that calls without one get. */
    answered: z.int(),
  }),
  /** Estimated tokens of the context, by category. */
  tokens: z.object({ before: tokenCount, after: tokenCount }),
  /** The fill of the context. */
  size: z.object({ before: contextSize, after: contextSize }),
  /** The tokens that the change makes uncached, and those that it saves with each request. */
  cache: breakEvenDocument,
  /** Of a dry run of `ctx compact`: what the summary lacks; null for others. */
  loss: z.exactOptional(z.nullable(lossDocument)),
  /** Of `ctx prune`: its decisions, message by message. */
  prune: z.exactOptional(pruneDocument),
  /** Of `ctx repair`: what was changed, and the files with what was left out. */
  repair: z.exactOptional(copyRepairDocument),
  /** Of `ctx extract`: the end of the copy, and the number of entries of its path. */
  extraction: z.exactOptional(z.pick(extractionDocument, { to: true, entries: true })),
  /** Of `ctx redact`: what it replaced. */
  redaction: z.exactOptional(redactionAccount),
  /** Sentences that the user should read. */
  notes: z.array(z.string()),
  /**
   * The command line that opens the copy; null if the agent opens none in this place, cannot go on with it, or its context
   * is larger than the window.
   */
  resume: z.nullable(z.string()),
});

/** A copy that is planned. */
export interface PlannedCopy {
  readonly session: SessionToPlan;
  readonly copier: AgentCopier;
  readonly command: string;
  readonly before: ContextEnvelope;
  readonly copy: CopyDraft;
  /** Of a dry run that compacts: what the summary lacks. */
  readonly loss: LossDocument | null;
}

/** The flags and words with which a copy is written. */
export interface CopyOptions extends NamedWindow {
  readonly 'dry-run'?: boolean | undefined;
  readonly output?: string | undefined;
  readonly install?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly remarks?: readonly string[];
  /** The files beside the copy, and sentences about them, for its place. */
  beside?(place: string): FilesBeside;
  /** The files that belong to the session stay with the original: they may contain what the copy lacks. */
  readonly isAlone?: boolean;
  /** The change in a few words; the number of its changes if it is left out. */
  readonly title?: string | undefined;
  /** The words after the title that the user must see first. */
  readonly caution?: string | null;
  /** The command's own account of its plan. */
  readonly about?: {
    readonly key: string;
    readonly data: unknown;
    readonly doc: Doc;
    /** It says all that a reader needs: the contexts are not compared. */
    readonly isWhole?: true;
  };
}

/** The files that are written together with a copy. */
export interface FilesBeside {
  readonly files: readonly FilePart[];
  readonly notes: readonly string[];
}

/** A copy that was built and perhaps written. */
interface FinishedCopy {
  readonly built: BuiltCopy;
  readonly sessionId: string;
  /** Where it is, or would be; null if no place was named. */
  readonly place: string | null;
  readonly isWritten: boolean;
  /** Sentences about the files that were written beside it. */
  readonly notes: readonly string[];
  /** The files that belong to the original. */
  readonly sideFiles: SideFiles;
}

/** Writes a copy where the flags say, or shows what it would be. Throws like `buildCopy`. */
export async function executeCopy(
  io: Io,
  planned: PlannedCopy,
  options: CopyOptions,
): Promise<Extract<Outcome, { readonly kind: 'single' }>> {
  const { session, copier, copy, before } = planned;
  const window = findCopyWindow(session, options);
  const finished = await finishCopy(io, planned, options);
  const { place, sessionId, isWritten } = finished;
  const isInstalled = options.install ?? false;
  const last = findLastRequest(session, activePath(session.tree));
  const cache = measureBreakEven({ before, after: copy.after, last, now: io.now() });
  const hasSideFiles = isInstalled && !options.isAlone;
  const sizes = { before: before.meta.size, after: copy.after.meta.size };
  const overfull = describeOverfull(sizes, window, nameCopy(finished, isInstalled));
  const notes = [
    ...(overfull === null ? [] : [overfull]),
    ...(options.remarks ?? []),
    ...finished.notes,
    ...listNotes(planned, finished, hasSideFiles),
  ];
  const isOpened = isWritten && place !== null && place !== '-' && !session.agent?.isSubagent;
  const { cwd } = session.header;
  const opening = isOpened ? formatResumeLine(io, copier, { sessionId, file: place, cwd, isInstalled }) : null;
  const shorter = formatShortening(planned.command, nameCopy(finished, isInstalled));
  const stop = opening === null || place === null ? null : await findStop(io, place, options, shorter);
  const isTooLarge = opening !== null && overfull !== null;
  const first = stop?.command ?? (isTooLarge ? shorter : null);
  const effects = { cache, notes, stop, first, resume: first === null ? opening : null };
  const data = buildDocument(planned, finished, { ...effects, isInstalled, hasSideFiles, about: options.about });
  const view = { title: options.title, caution: options.caution ?? null, isInstalled, about: options.about };
  const doc = renderCopy(planned, finished, { ...effects, ...view });
  return { kind: 'single', item: { data, doc: () => doc }, problems: session.problems, file: session.file };
}

/** A copy as the next command names it; `COPY` for one that is not written. */
function nameCopy({ place, sessionId, isWritten }: FinishedCopy, isInstalled: boolean): string {
  if (!isWritten || place === null || place === '-') return 'COPY';
  return isInstalled ? sessionId : toShellWord(place);
}

/** The reason why an agent cannot go on with a copy, and the command to run before. */
interface Stop {
  readonly why: string;
  readonly command: string;
}

/** Finds what stops the agent from going on with a written copy; null for nothing. `shorter`: makes the copy shorter. */
async function findStop(io: Io, copy: string, window: NamedWindow, shorter: string): Promise<Stop | null> {
  const { describeGoingOnWithPlace, openGoingOn } = await import('../check/going-on.js');
  const found = await openGoingOn(io, copy, window);
  if (!found || found.goesOn) return null;
  // Without a rule, the context is above the window.
  const command = (found.rule === null ? null : found.command) ?? shorter;
  return { why: describeGoingOnWithPlace(found), command };
}

async function finishCopy(
  io: Io,
  planned: PlannedCopy,
  { install = false, 'dry-run': isDry = false, force = false, isAlone = false, output, beside }: CopyOptions,
): Promise<FinishedCopy> {
  const { session, copier, copy } = planned;
  const sessionId = buildUuid(io.newId);
  const timestamp = formatTime(io.now()) ?? '';
  const assertUnchanged = createUnchangedCheck(io, session.file);
  const stamps = { sessionId, timestamp, newId: () => buildUuid(io.newId) };
  const built = await buildCopy(session, copier, copy, stamps);
  const folder = path.dirname(path.resolve(io.cwd, session.file));
  const format = findFormat(session);
  const root = format?.folders(io.env, io.home)[0] ?? folder;
  const [sideFolder] = format?.sideFolders?.(session.file, io.files.list) ?? [];
  const sideFiles = sideFolder === undefined ? NO_SIDE_FILES : listSideFiles(io.files, sideFolder);
  const installed = copier.place({ sessionId, cwd: session.header.cwd, folder, root, timestamp });
  const place = install ? installed : (output ?? null);
  const finished = { built, sessionId, place, sideFiles };
  if (isDry || place === null) return { ...finished, isWritten: false, notes: [] };
  if (path.resolve(place) === path.resolve(session.file)) throw buildOwnFileError(session.file);
  const { files: others, notes } = beside?.(place) ?? { files: [], notes: [] };
  for (const { file } of others) await io.files.makeFolder(path.dirname(file));
  const parts = [toNewFile(place, [built.bytes], session.file, force && !install), ...others];
  if (install) await installCopy(io, planned, finished, { place, parts, isAlone, assertUnchanged });
  else await writeTogether(io.files.createNew, parts, assertUnchanged);
  return { ...finished, isWritten: true, notes };
}

const NO_SIDE_FILES: SideFiles = { folder: '', names: [] };

/** Where a copy is installed. */
interface NewPlace {
  readonly place: string;
  /** The files of the copy, the session first. */
  readonly parts: readonly FilePart[];
  /** Without the files beside the session. */
  readonly isAlone: boolean;
  readonly assertUnchanged: () => void;
}

/**
 * Writes a new session and the files beside it. It never replaces another one. The session itself comes last, so that
 * the agent finds a whole copy or none, whenever the command is killed.
 */
async function installCopy(
  { files }: Io,
  { session, copier }: PlannedCopy,
  { sessionId, sideFiles }: Pick<FinishedCopy, 'sessionId' | 'sideFiles'>,
  { place, parts, isAlone, assertUnchanged }: NewPlace,
): Promise<void> {
  const { file, header } = session;
  await files.makeFolder(path.dirname(place));
  const ids = { from: header.id, to: sessionId };
  const [to = ''] = findFormat(session)?.sideFolders?.(place, files.list) ?? [];
  const undo = await copySideFiles(files, isAlone ? NO_SIDE_FILES : sideFiles, {
    to,
    like: file,
    convert: (name, content) => copier.convertSideFile?.(name, content, ids) ?? content,
  });
  try {
    await writeTogether(files.createNew, parts, assertUnchanged);
  } catch (error) {
    undo();
    throw error;
  }
}

/** The effects of a copy, and the words about it. */
interface CopyEffects {
  readonly cache: BreakEven;
  readonly notes: readonly string[];
  /** Stops the agent from going on with it; null for nothing. */
  readonly stop: Stop | null;
  /** The command to run before the agent opens it; null if it can open it now, or nothing was written. */
  readonly first: string | null;
  /** The command that opens it; null where nothing was written, nothing opens it, or another command comes first. */
  readonly resume: string | null;
  readonly isInstalled: boolean;
}

function buildDocument(
  { session, command, before, copy, loss }: PlannedCopy,
  { built, sessionId, place, isWritten, sideFiles }: FinishedCopy,
  {
    cache,
    notes,
    stop,
    resume,
    isInstalled,
    hasSideFiles,
    about,
  }: Omit<CopyEffects, 'first'> & {
    readonly hasSideFiles: boolean;
    readonly about: CopyOptions['about'];
  },
) {
  const { after } = copy;
  return {
    schema: 'ctx/copy' as const,
    schemaVersion: 1 as const,
    command,
    agent: session.agent?.name ?? '',
    original: { file: session.file, sessionId: session.header.id },
    copy: {
      file: isWritten ? place : null,
      sessionId,
      bytes: built.bytes.length,
      isInstalled: isInstalled && isWritten,
      sideFiles: hasSideFiles && isWritten ? sideFiles.names.length : 0,
    },
    changes: countChanges(copy),
    tokens: { before: before.meta.tokens, after: after.meta.tokens },
    size: { before: before.meta.size, after: after.meta.size },
    cache,
    ...(!isWritten && { loss: loss && listPlannedLosses(loss) }),
    ...(about && { [about.key]: about.data }),
    notes: [...notes, ...(stop ? [`${stop.why}; run ${stop.command}`] : [])],
    resume,
  };
}

function renderCopy(
  { session, command, before, copy, loss }: PlannedCopy,
  { built, place, isWritten }: FinishedCopy,
  {
    cache,
    notes,
    stop,
    first,
    resume,
    isInstalled,
    title,
    caution,
    about,
  }: CopyEffects & Pick<CopyOptions, 'title' | 'caution'> & { readonly about: CopyOptions['about'] },
): Doc {
  const { after } = copy;
  const verb = isInstalled ? 'installed' : 'wrote';
  const written = place === null || !isWritten ? dropLine(after) : placeInCopy(after, built.context, place);
  // A file without secrets is for other people, whose requests share no prompt cache with the original.
  const isToShare = command === 'redact' && !isInstalled;
  const effects = [
    ...renderDiffSummary({
      before: toRecordedLines(before, session),
      after: written,
      report: reportDiff(before, after),
    }),
    ...(isWritten || isToShare ? [] : renderCacheEffect(cache)),
  ];
  return [
    line(
      span(`${isWritten ? verb : 'would write'} a copy: ${title ?? describeChanges(copy)}`, 'strong'),
      ...renderCaution(caution),
    ),
    line(describeShrinking(before, after)),
    ...(about?.isWhole ? [] : effects),
    ...(about?.doc ?? []),
    ...(!isWritten && loss ? renderLosses(loss) : []),
    ...notes.map(renderNote),
    ...(isWritten || isToShare
      ? []
      : [
          line(`next: with --install instead of --dry-run, a copy that ${session.agent?.title ?? 'the agent'} resumes`),
        ]),
    ...(stop ? [commandLine(toVisibleLine(`warning: ${stop.why}; run `), stop.command)] : []),
    ...(isWritten && place !== null ? [{ kind: 'whole' as const, text: `copy: ${place}`, file: place }] : []),
    ...(first === null ? [] : [commandLine('first: ', first)]),
    ...(resume === null ? [] : [commandLine('resume: ', resume)]),
  ];
}

function buildOwnFileError(file: string): CtxError {
  return new CtxError('refused', 'the copy would replace its original', { where: file, hint: 'name another file' });
}

function countChanges({ changes }: CopyDraft) {
  const { dropped, replaced, undone, compaction, answered } = changes;
  return {
    dropped: dropped.size,
    replaced: replaced.size,
    undone: undone.size,
    isCompacted: compaction !== null,
    answered: sumBy([...answered.values()], ({ length }) => length),
  };
}

function describeChanges(copy: CopyDraft): string {
  const { dropped, replaced, undone, isCompacted, answered } = countChanges(copy);
  const parts = [
    ...(dropped > 0 ? [`${pluralize(dropped, 'message')} dropped`] : []),
    ...(replaced > 0 ? [`${pluralize(replaced, 'message')} changed`] : []),
    ...(answered > 0 ? [`${pluralize(answered, 'result')} added`] : []),
    ...(isCompacted ? ['compacted'] : []),
    ...(undone > 0 ? [`${pluralize(undone, 'compaction')} taken back`] : []),
  ];
  return parts.length === 0 ? 'unchanged' : parts.join(', ');
}

/** Sizes that differ by a smaller share are printed as one. */
const SAME_SIZE = 0.01;

function* listNotes(
  { session: { agent }, copy }: PlannedCopy,
  { built: { form, context }, place, sideFiles: { folder, names } }: FinishedCopy,
  hasSideFiles: boolean,
): Generator<string> {
  yield `the session of ${agent?.title ?? 'the agent'} itself stays as it is`;
  const planned = copy.after.meta.size.tokens;
  const read = context.meta.size.tokens;
  if (Math.abs(read - planned) > SAME_SIZE * planned)
    yield `until its first request, ctx estimates the copy at ~${formatCount(read)} tokens: no recorded usage follows its first change`;
  if (form === 'path') yield 'the copy has only the conversation that goes on: other branches stay in the original';
  if (place === null || names.length === 0) return;
  const count = pluralize(names.length, 'file');
  yield hasSideFiles
    ? `with ${count} of its subagents and saved tool results`
    : `${count} of its subagents and saved tool results stay in ${folder}`;
}

/** A context at the last entry of a copy that was written. */
function placeInCopy(after: ContextEnvelope, { at }: ContextEnvelope, file: string): ContextEnvelope {
  return { ...after, at, session: { ...after.session, file } };
}

/** A context at an entry that is not written yet. */
function dropLine(envelope: ContextEnvelope): ContextEnvelope {
  return { ...envelope, at: { ...envelope.at, line: null } };
}
