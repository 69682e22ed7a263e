import path from 'node:path';
import * as z from 'zod/mini';
import { breakEvenDocument, measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest } from '#analysis/cache/last-request.js';
import { reportDiff } from '#analysis/diff/report-diff.js';
import { lossDocument, type LossDocument } from '#analysis/loss/document.js';
import { CtxError } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { jsonDocument } from '#base/schema.js';
import { formatTime } from '#base/time.js';
import { buildCopy, buildUuid } from '#change/copy/build-copy.js';
import { type CopyDraft, findFormat } from '#change/copy/copy-draft.js';
import { pruneDocument } from '#change/prune/document.js';
import { type ContextEnvelope, contextSize, tokenCount } from '#context/replay/envelope.js';
import { writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copy.js';
import { activePath } from '#session/tree/tree.js';
import { type Doc, line, span } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { renderDiffSummary } from '../diff/summary.js';
import { createUnchangedCheck, toNewFile } from '../new-session.js';
import type { SessionToPlan } from '../session-to-plan.js';
import { renderCacheEffect, renderLosses, renderNote } from './plan-view.js';

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
  }),
  /** The messages that it lacks, those with another content, the compactions that it takes back, and whether it adds one. */
  changes: z.object({ dropped: z.int(), replaced: z.int(), undone: z.int(), isCompacted: z.boolean() }),
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
  /** The command's own account of its plan. */
  readonly about?: { readonly key: string; readonly data: unknown; readonly doc: Doc };
}

/** Writes a copy where the flags say, or shows what it would be. Throws like `buildCopy`. */
export async function executeCopy(io: Io, planned: PlannedCopy, options: CopyOptions): Promise<Outcome> {
  const { session, copier, copy, before, loss } = planned;
  const { header, agent } = session;
  const sessionId = buildUuid(io.newId);
  const timestamp = formatTime(io.now()) ?? '';
  const unchanged = createUnchangedCheck(io, session.file);
  const stamps = { sessionId, timestamp, newId: () => buildUuid(io.newId) };
  const { bytes, context } = await buildCopy(session, copier, copy, stamps);
  const { install = false, 'dry-run': isDry = false, force = false } = options;
  const folder = path.dirname(path.resolve(io.cwd, session.file));
  const root = findFormat(session)?.folders(io.env, io.home)[0] ?? folder;
  const place = install
    ? copier.place({ sessionId, cwd: header.cwd, folder, root, timestamp })
    : (options.output ?? null);
  if (!isDry && place !== null) {
    if (path.resolve(place) === path.resolve(session.file)) throw ownFileError(session.file);
    // A new session never replaces another one.
    const target = toNewFile(place, [bytes], session.file, force && !install);
    if (install) await io.files.makeFolder(path.dirname(place));
    await writeTogether(io.files.createNew, [target], unchanged);
  }
  const { after } = copy;
  const file = isDry ? null : place;
  const cache = measureBreakEven({
    before,
    after,
    last: findLastRequest(session, activePath(session.tree)),
    now: io.now(),
  });
  const notes = [...(options.remarks ?? []), ...notesOn(planned, place)];
  const resume = place === '-' ? null : copier.resumeCommand(sessionId, install ? null : place);
  const data = {
    schema: 'ctx/copy' as const,
    schemaVersion: 1 as const,
    command: planned.command,
    agent: agent?.name ?? '',
    original: { file: session.file, sessionId: header.id },
    copy: { file, sessionId, bytes: bytes.length, isInstalled: install && !isDry },
    changes: countChanges(copy),
    tokens: { before: before.meta.tokens, after: after.meta.tokens },
    size: { before: before.meta.size, after: after.meta.size },
    cache,
    ...(isDry && { loss }),
    ...(options.about && { [options.about.key]: options.about.data }),
    notes,
    resume: isDry ? null : resume,
  };
  const doc: Doc = [
    line(span(describeCopy(planned, isDry ? 'would write' : install ? 'installed' : 'wrote'), 'strong')),
    line(describeShrinking(before, after)),
    ...renderDiffSummary({
      before: atRecordedLine(before, session),
      after: file === null ? withoutLine(after) : { ...after, at: context.at, session: { ...after.session, file } },
      report: reportDiff(before, after),
    }),
    ...(isDry ? renderCacheEffect(cache) : []),
    ...(options.about?.doc ?? []),
    ...(isDry && loss ? renderLosses(loss) : []),
    ...notes.map(renderNote),
    ...(file === null ? [] : [{ kind: 'whole' as const, text: `copy: ${file}` }]),
    ...(isDry || resume === null ? [] : [{ kind: 'whole' as const, text: `resume: ${resume}` }]),
  ];
  return { kind: 'single', item: { data, doc: () => doc }, problems: session.problems, file: session.file };
}

function ownFileError(file: string): CtxError {
  return new CtxError('refused', 'the copy would replace its original', { where: file, hint: 'name another file' });
}

function countChanges({ changes }: CopyDraft) {
  const { dropped, replaced, undone, compaction } = changes;
  return { dropped: dropped.size, replaced: replaced.size, undone: undone.size, isCompacted: compaction !== null };
}

function describeCopy({ copy }: PlannedCopy, verb: string): string {
  const { dropped, replaced, undone, isCompacted } = countChanges(copy);
  const parts = [
    ...(dropped > 0 ? [`${pluralize(dropped, 'message')} dropped`] : []),
    ...(replaced > 0 ? [`${pluralize(replaced, 'message')} changed`] : []),
    ...(isCompacted ? ['compacted'] : []),
    ...(undone > 0 ? [`${pluralize(undone, 'compaction')} taken back`] : []),
  ];
  return `${verb} a copy: ${parts.length === 0 ? 'unchanged' : parts.join(', ')}`;
}

/** The next request, in tokens of the context: the size of the file says nothing about it. */
function describeShrinking(before: ContextEnvelope, after: ContextEnvelope): string {
  const [from, to] = [before.meta.size.tokens, after.meta.size.tokens];
  const change = from - to;
  const share = from === 0 ? 0 : Math.round((Math.abs(change) / from) * 100);
  const words =
    change === 0
      ? 'stays as large'
      : `${change > 0 ? 'shrinks' : 'grows'} by ~${formatCount(Math.abs(change))} tokens (${share} %)`;
  return `the next request ${words}: ~${formatCount(from)} → ~${formatCount(to)}`;
}

function* notesOn({ session, copy }: PlannedCopy, place: string | null): Generator<string> {
  const { agent } = session;
  yield `the session of ${agent?.title ?? 'the agent'} itself stays as it is`;
  if (place !== null && agent?.subagentFolder)
    yield 'sessions of subagents and saved tool results stay with the original';
  if (copy.changes.compaction !== null) yield 'the copy goes on from the summary';
}

/** A context at an entry that is not written yet. */
function withoutLine(envelope: ContextEnvelope): ContextEnvelope {
  return { ...envelope, at: { ...envelope.at, line: null } };
}

function atRecordedLine(envelope: ContextEnvelope, { recordedLine }: SessionToPlan): ContextEnvelope {
  const { at } = envelope;
  return { ...envelope, at: { ...at, line: at.line === null ? null : (recordedLine?.(at.line) ?? null) } };
}
