import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { findCopier, readForCopy, type SessionToCopy } from '#change/copy/copy-draft.js';
import { type CopyRepair, type DroppedPart, planCopyRepair, type RepairedCopy } from '#change/repair/repair-copy.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copy.js';
import { addModelList } from '../session.js';

/** A repair, and its line in the file of the original; null for a line that is not of it. */
export type ListedRepair = Omit<CopyRepair, 'line'> & { readonly line: number | null };

/** The repairs of the session of an agent that resumes copies. */
export interface AgentRepairs {
  readonly copier: AgentCopier;
  readonly linked: SessionToCopy;
  readonly planned: RepairedCopy;
  /** The context as it was, without what a copy always lacks. */
  readonly before: ContextEnvelope;
  /** In the order of the file. */
  readonly faults: readonly ListedRepair[];
}

/** Finds what a repaired copy of a session changes; null for an agent whose sessions are not copied. */
export async function findAgentRepairs(
  io: Io,
  session: OpenSession,
  dropped: ReadonlySet<DroppedPart> = new Set(),
): Promise<AgentRepairs | null> {
  const copier = findCopier(session);
  if (!copier) return null;
  const linked = await readForCopy(session, copier, true);
  const plain = linked.linked.length === 0 ? linked : await readForCopy(session, copier);
  // The plan changes the entries of the session that it links.
  const before = buildEnvelope(plain, plain.tree.leaf, addModelList({}));
  const planned = planCopyRepair(linked, dropped, io);
  const faults = [...listDamage(session), ...listRepairs(planned, linked)];
  return { copier, linked, planned, before, faults: faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

function listRepairs({ repairs }: RepairedCopy, { linked, recordedLine }: SessionToCopy): readonly ListedRepair[] {
  // The lines of links are already those of the file.
  const links = new Set(linked.map(({ record }) => record.line));
  return repairs.map((repair) => {
    const isLink = repair.rule === 'orphan' && links.has(repair.line);
    return { ...repair, line: isLink ? repair.line : recordedLine(repair.line) };
  });
}

/** The damaged lines, which no copy has. */
function listDamage({ scan, problems }: OpenSession): readonly ListedRepair[] {
  const damaged = new Set(scan.damaged.map(({ line }) => line));
  return problems.flatMap(({ code, line, message }) => {
    if (line === null || !damaged.delete(line)) return [];
    const bytes = sumBy(scan.damaged, (part) => (part.line === line ? part.length : 0));
    const done = `${pluralize(bytes, 'byte')} left out`;
    return [{ rule: code, why: message, done, entryId: null, line }];
  });
}

/** How far a context is above the window; null if it fits, or if the window is unknown. */
export function describeOverflow({ meta: { size, tokens, limit } }: ContextEnvelope): string | null {
  // A recorded size may be that of a request that lacked some messages.
  const most = Math.max(size.tokens, tokens.total);
  if (limit === null || most <= limit) return null;
  return `the next request has ~${formatCount(most)} tokens, and the context window ${formatCount(limit)}`;
}
