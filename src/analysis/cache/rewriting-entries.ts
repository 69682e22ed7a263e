import type { Replay } from '#context/replay/replay.js';
import { readTransformerName } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { BreakClass } from './break-classes.js';
import { measureDepth } from './divergence.js';
import type { CacheSummary, Divergence } from './document.js';
import { hasSameToolSet, type Preamble } from './prompt.js';

/** An entry between two requests that may have changed content that was already sent. */
export interface RewritingEntry {
  readonly head: Head;
  readonly reasons: readonly string[];
  /** The place where the prompt after it diverges from the previous request; null if it does not. */
  readonly divergence: Divergence | null;
  readonly preamble: Preamble;
}

/** The declared reasons of the entry that was replayed last. */
export function listDeclaredReasons(head: Head, replay: Replay): readonly string[] {
  if (head.type !== 'context_transform') return [];
  return replay.transforms.at(-1)?.invalidateCacheReasons ?? [];
}

/**
 * Finds the entry that made the prompt differ at a place: the last one before which the prompt was still equal there.
 */
export function findCulprit(candidates: readonly RewritingEntry[], place: Divergence): RewritingEntry | null {
  const depth = measureDepth(place);
  let culprit: RewritingEntry | null = null;
  let before = Infinity;
  for (const candidate of candidates) {
    const after = measureDepth(candidate.divergence);
    if (after <= depth && before > depth) culprit = candidate;
    before = after;
  }
  return culprit;
}

/** Declared reasons of entries that did not change content that was already sent. */
export function listIdleDeclarations(candidates: readonly RewritingEntry[]): CacheSummary['declaredForNothing'] {
  let before = Infinity;
  return candidates.flatMap(({ head, reasons, divergence }) => {
    const after = measureDepth(divergence);
    const isIdle = after >= before && reasons.length > 0;
    before = after;
    return isIdle ? [{ entryId: formatId(head.id), line: head.line, reasons: [...reasons] }] : [];
  });
}

/** The class of the break that an entry causes. `before` is the preamble of the previous request. */
export function findBreakClass(
  session: Session,
  { head, divergence, preamble }: RewritingEntry,
  before: Preamble,
): BreakClass {
  switch (head.type) {
    case 'compaction':
      return 'compaction';
    case 'reset_boundary':
      return 'clear';
    case 'context_transform':
      return readTransformerName(session.entry(head)) === 'compaction' ? 'compaction' : 'transform';
    case 'context_edit':
      return 'edit';
    default:
      if (divergence?.section !== 'tools') return 'system';
      return hasSameToolSet(before, preamble) ? 'tool order' : 'tools';
  }
}
