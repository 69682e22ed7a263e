import { sortByLine } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { pluralize } from '#base/numbers.js';
import { readForCopy, type SessionToCopy } from '#change/copy/session-to-copy.js';
import type { EntryStamps } from '#change/plan/entry-stamps.js';
import type { CopyRepair } from '#change/repair/copy-repair.js';
import { planCopyRepair, type RepairedCopy } from '#change/repair/plan-copy-repair.js';
import type { DroppedPart } from '#change/repair/repair-sent-messages.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { findCopier } from '#session/agents/index.js';
import { isLocalAnswer } from '#session/heads/answer.js';
import { addModelList, type NamedWindow } from '../window.js';

/** A repair, and its line in the file of the original; null for a line that is not of it. */
export type ListedRepair = Omit<CopyRepair, 'line' | 'lastLine'> & {
  readonly line: number | null;
  /** Whether a later request of the path was answered, although it had the fault. */
  readonly isSurvived: boolean;
};

/** The repairs of the session of an agent that resumes copies. */
export interface AgentRepairs {
  readonly linked: SessionToCopy;
  readonly planned: RepairedCopy;
  /** The context as it was, without what a copy always lacks. */
  readonly before: ContextEnvelope;
  /** The faults in the order of the file. */
  readonly faults: readonly ListedRepair[];
}

/** Finds what a repaired copy of a session changes; null for an agent whose sessions are not copied. */
export async function findAgentRepairs(
  stamps: EntryStamps,
  session: OpenSession,
  { limit, configuredLimit }: NamedWindow,
  dropped: ReadonlySet<DroppedPart> = new Set(),
): Promise<AgentRepairs | null> {
  const copier = findCopier(session);
  if (!copier) return null;
  const linked = await readForCopy(session, copier, true);
  const isSame = linked.linked.length === 0 && linked.completed.size === 0;
  const plain = isSame ? linked : await readForCopy(session, copier);
  // The plan changes the entries of the session that it links.
  const before = buildEnvelope(plain, plain.tree.leaf, addModelList({ limit, configuredLimit }));
  const planned = planCopyRepair(linked, dropped, stamps);
  const answered = findLastAnswer(before, plain);
  const faults = [...listDamage(session), ...listRepairs(planned, linked, answered)];
  return { linked, planned, before, faults: sortByLine(faults) };
}

/** The line at which the last answer of a context begins, in the file of the original; null without one. */
function findLastAnswer({ messages, meta }: ContextEnvelope, { recordedLine }: SessionToCopy): number | null {
  const at = messages.cached.findLastIndex(
    (message, index) =>
      message.role === 'assistant' &&
      message.stopReason !== 'error' &&
      !isLocalAnswer(message) &&
      /^(?:entry|edit)$/.test(meta.provenance[index]?.origin ?? ''),
  );
  const { line } = meta.provenance[at] ?? {};
  return line === undefined ? null : recordedLine(line);
}

function listRepairs(
  { repairs }: RepairedCopy,
  { linked, recordedLine }: SessionToCopy,
  answered: number | null,
): readonly ListedRepair[] {
  // The lines of links are already those of the file.
  const links = new Set(linked.map(({ record }) => record.line));
  return repairs.map(({ lastLine, ...repair }) => {
    const isLink = repair.rule === 'orphan' && links.has(repair.line);
    const last = isLink ? null : recordedLine(lastLine ?? repair.line);
    const isSurvived = last !== null && answered !== null && last < answered;
    return { ...repair, line: isLink ? repair.line : recordedLine(repair.line), isSurvived };
  });
}

/** The damaged lines, which no copy has. */
function listDamage({ scan, problems }: OpenSession): readonly ListedRepair[] {
  const damaged = new Set(scan.damaged.map(({ line }) => line));
  return problems.flatMap(({ code, line, message }) => {
    if (line === null || !damaged.delete(line)) return [];
    const bytes = sumBy(scan.damaged, (part) => (part.line === line ? part.length : 0));
    const done = `${pluralize(bytes, 'byte')} left out`;
    return [{ rule: code, why: message, done, entryId: null, line, isSurvived: false }];
  });
}
