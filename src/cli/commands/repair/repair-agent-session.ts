import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { splitNames } from '#base/text.js';
import { toVisibleLine } from '#base/visible.js';
import { buildAgentFileError } from '#change/plan/appendable.js';
import type { RepairedCopy } from '#change/repair/plan-copy-repair.js';
import type { DroppedPart } from '#change/repair/repair-sent-messages.js';
import { findAgentRepairs, type ListedRepair } from '#cli/going-on/find-agent-repairs.js';
import { describeOverflow, findObstacle } from '#cli/going-on/repair-obstacle.js';
import type { NamedWindow } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Io } from '#platform/io.js';
import { cell, type Doc, fileHeading, gap, line, proseRow, span } from '#ui/doc/doc.js';
import { executeCopy } from '../../copy/execute-copy.js';
import type { FilesBeside } from '../../copy/write-copy.js';
import type { Outcome } from '../define.js';
import { toNewFile } from '../new-session.js';
import { assertCopied } from '../session-to-plan.js';
import type { CopyRepairDocument } from './copy-document.js';
import type { RepairDocument } from './document.js';

/** The flags of a repair, and the context window that the user names. */
export interface RepairFlags extends NamedWindow {
  readonly output?: string | undefined;
  readonly install?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly drop?: string | undefined;
}

/**
 * Repairs a session of an agent that resumes copies, in a copy. Throws a CtxError (refused) for another agent, and for a
 * session that cannot be repaired.
 */
export async function repairAgentSession(io: Io, session: OpenSession, flags: RepairFlags): Promise<Outcome> {
  assertCopied(session, flags);
  const found = await findAgentRepairs(io, session, flags, readDroppedParts(flags.drop));
  if (!found) throw buildAgentFileError(session);
  const { linked, planned, before, faults } = found;
  const fault = faults.find(isNeeded);
  if (!fault) return reportNothing(session, before, planned);
  const obstacle = findObstacle(session, found);
  if (obstacle) {
    throw new CtxError('refused', `${fault.why}, which no copy can repair: ${obstacle.why}`, {
      where: fault.line === null ? session.file : `${session.file}:${fault.line}`,
      hint: obstacle.hint,
    });
  }
  const repairs = faults.map(({ rule, why, done, entryId, line: at }) => {
    return { rule, message: `${why}: ${done}`, entryId, line: at };
  });
  return executeCopy(
    io,
    { session: { ...linked, problems: [] }, command: 'repair', copy: { ...planned.copy, before } },
    {
      ...flags,
      title: pluralize(repairs.length, 'repair'),
      remarks: [...listRemarks(planned)],
      beside: (place) => listFilesBeside(session, planned, { place, force: flags.force }),
      about: {
        key: 'repair',
        data: { repairs } satisfies CopyRepairDocument,
        doc: renderRepairs(repairs),
        isWhole: true,
      },
    },
  );
}

const DROPPED: readonly DroppedPart[] = ['images', 'thinking'];

function readDroppedParts(list: string | undefined): ReadonlySet<DroppedPart> {
  const names = list === undefined ? [] : splitNames(list);
  const parts = new Set(DROPPED.filter((part) => names.includes(part)));
  const unknown = names.find((name) => !DROPPED.some((part) => part === name));
  if (unknown === undefined && !(list !== undefined && names.length === 0)) return parts;
  throw new CtxError('usage', `--drop takes "images", "thinking", or both, not "${unknown ?? ''}"`, {
    hint: 'as in --drop images,thinking',
  });
}

/** Whether a repair is more than the result of a call that may still get its own. */
function isNeeded({ rule }: ListedRepair): boolean {
  return rule !== 'open-call';
}

/** The images that are left out, in a folder of the copy, and the bytes of damaged lines. */
function listFilesBeside(
  session: OpenSession,
  { images }: RepairedCopy,
  { place, force }: { readonly place: string; readonly force: boolean | undefined },
): FilesBeside {
  const folder = `${place.replace(/\.jsonl$/, '')}.images`;
  const files = images.map(({ name, bytes }) => toNewFile(`${folder}/${name}`, [bytes], session.file, force));
  const notes =
    images.length === 0
      ? []
      : [`${pluralize(images.length, 'image')} saved beside the copy, in ${path.basename(folder)}`];
  const { damaged } = session.scan;
  if (damaged.length === 0) return { files, notes };
  const lost = `${place}.lost`;
  const bytes = damaged.map(({ offset, length }) => Uint8Array.from(session.source.read(offset, offset + length)));
  return {
    files: [...files, toNewFile(lost, bytes, session.file, force)],
    notes: [
      ...notes,
      `${pluralize(
        sumBy(damaged, ({ length }) => length),
        'lost byte',
      )} saved beside the copy, in ${path.basename(lost)}`,
    ],
  };
}

function* listRemarks({ imagesLeft, completedElsewhere, copy: { after } }: RepairedCopy): Generator<string> {
  if (completedElsewhere > 0)
    yield `U+FFFD also replaces half of a surrogate pair in ${pluralize(completedElsewhere, 'record')} outside of the context`;
  if (imagesLeft > 0) yield `${pluralize(imagesLeft, 'refused image')} in a history that was replaced: left as it is`;
  const overflow = describeOverflow(after);
  if (overflow !== null) yield `${overflow}: shorten it with ctx prune or ctx compact`;
}

/**
 * A session without a fault. Throws a CtxError (refused) for one that cannot go on for a reason that no repair changes.
 */
function reportNothing(session: OpenSession, before: ContextEnvelope, { imagesLeft }: RepairedCopy): Outcome {
  const { file } = session;
  if (imagesLeft > 0) {
    throw new CtxError('refused', 'images that the provider refuses are in a history that was replaced', {
      where: file,
      hint: `take the compaction back: ctx revert ${toShellWord(file)} '@{compaction}' --install`,
    });
  }
  const overflow = describeOverflow(before);
  if (overflow !== null) {
    throw new CtxError('refused', `no record is broken, but ${overflow}`, {
      where: file,
      hint: `shorten it: ctx prune ${toShellWord(file)} --strategy distill --install, or ctx compact`,
    });
  }
  const { size } = session.scan;
  const data: RepairDocument = {
    schema: 'ctx/repair',
    schemaVersion: 1,
    file,
    output: null,
    lostFile: null,
    oldSize: size,
    newSize: size,
    repairs: [],
    lost: [],
  };
  const doc: Doc = [fileHeading(file), line(span('nothing to repair', 'good')), line('nothing was written')];
  return { kind: 'single', item: { data, doc: () => doc }, problems: [] };
}

function renderRepairs(repairs: CopyRepairDocument['repairs']): Doc {
  const lineCells = repairs.reduce((most, { line: at }) => Math.max(most, String(at ?? '').length), 0);
  const ruleCells = repairs.reduce((most, { rule }) => Math.max(most, rule.length), 0);
  const rows = repairs.map(({ line: at, rule, message, entryId }) => {
    const text = toVisibleLine(entryId === null ? message : `${entryId}: ${message}`);
    return proseRow([cell(String(at ?? ''), -(2 + lineCells), 'faint'), cell(rule, ruleCells, 'strong'), cell(text)]);
  });
  return [gap, ...rows, gap];
}
