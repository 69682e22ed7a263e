import type { Replay } from '#context/replay/replay.js';
import { transformerName } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { depthOf, type Divergence, isOtherOrder, type Preamble } from './prompt.js';
import type { BreakClass, IdleDeclaration } from './request.js';

/** An entry between two requests that may have changed what had been sent. */
export interface Candidate {
  readonly head: Head;
  readonly reasons: readonly string[];
  /** Where the prompt after it stops being what the request before had sent; null where it does not. */
  readonly divergence: Divergence | null;
  /** The preamble after it. */
  readonly preamble: Preamble;
}

/** The reasons that the entry which was replayed last has declared. */
export function reasonsOf(head: Head, replay: Replay): readonly string[] {
  if (head.type !== 'context_transform') return [];
  return replay.transforms.at(-1)?.invalidateCacheReasons ?? [];
}

/** The entry that brought the prompt to differ at a place: the last one before which it did not differ there. */
export function culpritOf(candidates: readonly Candidate[], place: Divergence): Candidate | null {
  const depth = depthOf(place);
  let culprit: Candidate | null = null;
  let before = Infinity;
  for (const candidate of candidates) {
    const after = depthOf(candidate.divergence);
    if (after <= depth && before > depth) culprit = candidate;
    before = after;
  }
  return culprit;
}

/** Declared reasons of entries after which everything that had been sent was still there. */
export function idleDeclarations(candidates: readonly Candidate[]): readonly IdleDeclaration[] {
  let before = Infinity;
  return candidates.flatMap(({ head, reasons, divergence }) => {
    const after = depthOf(divergence);
    const isIdle = after >= before && reasons.length > 0;
    before = after;
    return isIdle ? [{ entryId: idText(head.id), line: head.line, reasons }] : [];
  });
}

/** What kind of break an entry makes. `before` is the preamble of the request before. */
export function classOf(session: Session, { head, divergence, preamble }: Candidate, before: Preamble): BreakClass {
  switch (head.type) {
    case 'compaction':
      return 'compaction';
    case 'context_transform':
      return transformerName(session.entry(head)) === 'compaction' ? 'compaction' : 'transform';
    case 'context_edit':
      return 'edit';
    default:
      if (divergence?.section !== 'tools') return 'system';
      return isOtherOrder(before, preamble) ? 'tool order' : 'tools';
  }
}
