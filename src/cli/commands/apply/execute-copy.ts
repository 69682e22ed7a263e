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
import { formatTime } from '#base/time.js';
import { buildUuid } from '#base/uuid.js';
import { buildCopy, type BuiltCopy } from '#change/copy/build-copy.js';
import { type CopyDraft, findFormat } from '#change/copy/copy-draft.js';
import { pruneDocument } from '#change/prune/document.js';
import { formatResumeLine } from '#cli/resume-command.js';
import { type ContextEnvelope, contextSize, tokenCount } from '#context/replay/envelope.js';
import { type FilePart, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copy.js';
import { activePath } from '#session/tree/tree.js';
import { type Doc, line, span } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { renderDiffSummary } from '../diff/summary.js';
import { extractionDocument } from '../extract/document.js';
import { createUnchangedCheck, toNewFile } from '../new-session.js';
import { redactionAccount } from '../redact/document.js';
import { copyRepairDocument } from '../repair/copy-document.js';
import type { SessionToPlan } from '../session-to-plan.js';
import { renderCacheEffect, renderLosses, renderNote } from './plan-view.js';
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
  /** The command line that opens the copy; null if the agent opens none in this place. */
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
export interface CopyOptions {
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
  const finished = await finishCopy(io, planned, options);
  const { place, sessionId, isWritten } = finished;
  const isInstalled = options.install ?? false;
  const last = findLastRequest(session, activePath(session.tree));
  const cache = measureBreakEven({ before, after: copy.after, last, now: io.now() });
  const hasSideFiles = isInstalled && !options.isAlone;
  const notes = [...(options.remarks ?? []), ...finished.notes, ...listNotes(planned, finished, hasSideFiles)];
  const isOpened = isWritten && place !== null && place !== '-' && !session.agent?.isSubagent;
  const { cwd } = session.header;
  const resume = isOpened ? formatResumeLine(io, copier, { sessionId, file: place, cwd, isInstalled }) : null;
  const effects = { cache, notes, resume };
  const data = buildDocument(planned, finished, { ...effects, isInstalled, hasSideFiles, about: options.about });
  const view = { title: options.title, isInstalled, about: options.about };
  const doc = renderCopy(planned, finished, { ...effects, ...view });
  return { kind: 'single', item: { data, doc: () => doc }, problems: session.problems, file: session.file };
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
  if (path.resolve(place) === path.resolve(session.file)) throw ownFileError(session.file);
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
  /** The command that opens it; null where nothing was written, or nothing opens it. */
  readonly resume: string | null;
  readonly isInstalled: boolean;
}

function buildDocument(
  { session, command, before, copy, loss }: PlannedCopy,
  { built, sessionId, place, isWritten, sideFiles }: FinishedCopy,
  {
    cache,
    notes,
    resume,
    isInstalled,
    hasSideFiles,
    about,
  }: CopyEffects & {
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
    ...(!isWritten && { loss }),
    ...(about && { [about.key]: about.data }),
    notes,
    resume,
  };
}

function renderCopy(
  { session, before, copy, loss }: PlannedCopy,
  { built, place, isWritten }: FinishedCopy,
  {
    cache,
    notes,
    resume,
    isInstalled,
    title,
    about,
  }: CopyEffects & Pick<CopyOptions, 'title'> & { readonly about: CopyOptions['about'] },
): Doc {
  const { after } = copy;
  const verb = isInstalled ? 'installed' : 'wrote';
  const written = place === null || !isWritten ? withoutLine(after) : atPlace(after, built.context, place);
  const effects = [
    ...renderDiffSummary({
      before: atRecordedLine(before, session),
      after: written,
      report: reportDiff(before, after),
    }),
    ...(isWritten ? [] : renderCacheEffect(cache)),
  ];
  return [
    line(span(`${isWritten ? verb : 'would write'} a copy: ${title ?? describeChanges(copy)}`, 'strong')),
    line(describeShrinking(before, after)),
    ...(about?.isWhole ? [] : effects),
    ...(about?.doc ?? []),
    ...(!isWritten && loss ? renderLosses(loss) : []),
    ...notes.map(renderNote),
    ...(isWritten ? [{ kind: 'whole' as const, text: `copy: ${place}` }] : []),
    ...(resume === null ? [] : [{ kind: 'whole' as const, text: `resume: ${resume}` }]),
  ];
}

function ownFileError(file: string): CtxError {
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

/** The next request, in tokens of the context: the size of the file says nothing about it. */
function describeShrinking(before: ContextEnvelope, after: ContextEnvelope): string {
  const from = before.meta.size.tokens;
  const to = after.meta.size.tokens;
  const change = from - to;
  const share = from === 0 ? 0 : Math.round((Math.abs(change) / from) * 100);
  const words =
    change === 0
      ? 'stays as large'
      : `${change > 0 ? 'shrinks' : 'grows'} by ~${formatCount(Math.abs(change))} tokens (${share} %)`;
  return `the next request ${words}: ~${formatCount(from)} → ~${formatCount(to)}`;
}

function* listNotes(
  { session: { agent } }: PlannedCopy,
  { place, sideFiles: { folder, names } }: FinishedCopy,
  hasSideFiles: boolean,
): Generator<string> {
  yield `the session of ${agent?.title ?? 'the agent'} itself stays as it is`;
  if (place === null || names.length === 0) return;
  const count = pluralize(names.length, 'file');
  yield hasSideFiles
    ? `with ${count} of its subagents and saved tool results`
    : `${count} of its subagents and saved tool results stay in ${folder}`;
}

/** A context at the last entry of a copy that was written. */
function atPlace(after: ContextEnvelope, { at }: ContextEnvelope, file: string): ContextEnvelope {
  return { ...after, at, session: { ...after.session, file } };
}

/** A context at an entry that is not written yet. */
function withoutLine(envelope: ContextEnvelope): ContextEnvelope {
  return { ...envelope, at: { ...envelope.at, line: null } };
}

function atRecordedLine(envelope: ContextEnvelope, { recordedLine }: SessionToPlan): ContextEnvelope {
  const { at } = envelope;
  return { ...envelope, at: { ...at, line: at.line === null ? null : (recordedLine?.(at.line) ?? null) } };
}
