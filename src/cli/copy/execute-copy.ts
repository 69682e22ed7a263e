import { measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest } from '#analysis/cache/last-request.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { CopyDraft } from '#change/copy/copy-draft.js';
import { formatResumeLine } from '#cli/resume-command.js';
import type { Io } from '#platform/io.js';
import { activePath } from '#session/tree/tree.js';
import { type Outcome, toOutcome } from '../commands/define.js';
import { listPlannedLosses } from '../commands/loss/listed-losses.js';
import { describeOverfull, findSessionWindow, formatShorteningCommand, type NamedWindow } from '../window.js';
import { type CommandAccount, type CopyReport, type NextStep, renderCopy, type Stop } from './copy-view.js';
import type { CopyDocument } from './document.js';
import { type CopyTarget, nameCopy, type PlannedCopy, writeCopy, type WrittenCopy } from './write-copy.js';

/** The flags and words with which a copy is written. */
export interface CopyOptions extends CopyTarget, NamedWindow {
  /** Sentences that the user should read, whatever is done. */
  readonly remarks?: readonly string[];
  /** The change in a few words; the number of its changes if it is left out. */
  readonly title?: string | undefined;
  /** The words after the title that the user must see first. */
  readonly caution?: string | null;
  /** The command's own account of its plan. */
  readonly about?: CommandAccount;
}

/** Writes a copy where the flags say, or shows what it would be. Throws like `buildCopy`. */
export async function executeCopy(
  io: Io,
  planned: PlannedCopy,
  options: CopyOptions,
): Promise<Extract<Outcome, { readonly kind: 'single' }>> {
  const { session, copy } = planned;
  const { before, after } = copy;
  const window = findSessionWindow(session, options);
  const last = findLastRequest(session, activePath(session.tree));
  const written = await writeCopy(io, planned, options);

  const sizes = { before: before.meta.size, after: after.meta.size };
  const overfull = describeOverfull(sizes, window, nameCopy(written));
  const report: CopyReport = {
    planned,
    written,
    changes: countChanges(copy),
    cache: measureBreakEven({ before, after, last, now: io.now() }),
    notes: [
      ...(overfull === null ? [] : [overfull]),
      ...(options.remarks ?? []),
      ...written.notes,
      ...listNotes(planned, written),
    ],
    next: await findNextStep(io, planned, written, { window: options, isTooLarge: overfull !== null }),
    title: options.title ?? null,
    caution: options.caution ?? null,
    about: options.about ?? null,
    argv: io.argv,
  };
  return toOutcome({ data: buildDocument(report), doc: () => renderCopy(report) }, session);
}

function countChanges({ changes }: CopyDraft): CopyDocument['changes'] {
  const { dropped, replaced, undone, compaction, answered } = changes;
  return {
    dropped: dropped.size,
    replaced: replaced.size,
    undone: undone.size,
    isCompacted: compaction !== null,
    answered: sumBy([...answered.values()], ({ length }) => length),
  };
}

/** Sizes that differ by a smaller share are printed as one. */
const SAME_SIZE = 0.01;

function* listNotes({ session: { agent }, copy }: PlannedCopy, written: WrittenCopy): Generator<string> {
  const { form, context } = written.built;
  yield `the session of ${agent?.title ?? 'the agent'} itself stays as it is`;
  const planned = copy.after.meta.size.tokens;
  const read = context.meta.size.tokens;
  if (Math.abs(read - planned) > SAME_SIZE * planned)
    yield `until its first request, ctx estimates the copy at ~${formatCount(read)} tokens: no recorded usage follows its first change`;
  if (form === 'path') yield 'the copy has only the conversation that goes on: other branches stay in the original';

  const { folder, names } = written.sideFiles;
  if (written.place === null || names.length === 0) return;
  const count = pluralize(names.length, 'file');
  yield written.hasSideFiles
    ? `with ${count} of its subagents and saved tool results`
    : `${count} of its subagents and saved tool results stay in ${folder}`;
}

const NO_STEP: NextStep = { stop: null, first: null, resume: null };

/** Finds what the user can do with a copy. A copy that its agent cannot go on with needs another command first. */
async function findNextStep(
  io: Io,
  { session, command }: PlannedCopy,
  written: WrittenCopy,
  { window, isTooLarge }: { readonly window: NamedWindow; readonly isTooLarge: boolean },
): Promise<NextStep> {
  const { place, sessionId, isWritten, isInstalled } = written;
  if (!isWritten || place === null || place === '-' || session.agent?.isSubagent) return NO_STEP;
  const { cwd } = session.header;
  const opening = formatResumeLine(io, session.copier, { sessionId, file: place, cwd, isInstalled });
  if (opening === null) return NO_STEP;

  const shorter = formatShorteningCommand(command, nameCopy(written));
  const stop = await findStop(io, place, window, shorter);
  if (stop !== null) return { ...NO_STEP, stop, first: stop.command };
  return isTooLarge ? { ...NO_STEP, first: shorter } : { ...NO_STEP, resume: opening };
}

/**
 * Finds what stops the agent from going on with a written copy; null for nothing. `shorter`: makes the copy shorter.
 */
async function findStop(io: Io, copy: string, window: NamedWindow, shorter: string): Promise<Stop | null> {
  const { describeGoingOnWithPlace, openGoingOn } = await import('../going-on/find-going-on.js');
  const found = await openGoingOn(io, copy, window);
  if (!found || found.goesOn) return null;
  // Where no rule is broken, the context is above the window, and only a shorter copy helps.
  const command = (found.rule === null ? null : found.command) ?? shorter;
  return { why: describeGoingOnWithPlace(found), command };
}

function buildDocument({ planned, written, changes, cache, notes, next, about }: CopyReport): CopyDocument {
  const { session, command, copy, loss = null } = planned;
  const { built, sessionId, place, isWritten, isInstalled, sideFiles, hasSideFiles } = written;
  const { before, after } = copy;
  const { stop } = next;
  return {
    schema: 'ctx/copy',
    schemaVersion: 1,
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
    changes,
    tokens: { before: before.meta.tokens, after: after.meta.tokens },
    size: { before: before.meta.size, after: after.meta.size },
    cache,
    ...(!isWritten && { loss: loss && listPlannedLosses(loss) }),
    ...(about && { [about.key]: about.data }),
    notes: stop === null ? [...notes] : [...notes, `${stop.why}; run ${stop.command}`],
    resume: next.resume,
  };
}
