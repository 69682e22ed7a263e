import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { isDualWritten } from '../plan/stock-view.js';
import type { HistoryItem } from './history.js';
import type { PruneResult } from './prune.js';

/** The first entry that stock Pi keeps if a compaction replaces the pruned messages before it. */
export interface PruneBoundary {
  readonly firstKeptEntryId: string;
  /** Whether a message is dropped because its entry is before the boundary, or is the summary in force. */
  isDropped(item: HistoryItem): boolean;
}

/**
 * Finds the entry from which a stock compaction at the end of a path keeps the context. Its summary replaces the one in
 * force and all before the first message that stays. null if no boundary keeps exactly the messages that stay: a
 * summary or a message of a transform stays, or an edit before the boundary counts after it.
 */
export function findPruneBoundary(
  session: Session,
  path: readonly Head[],
  { history }: PruneResult,
): PruneBoundary | null {
  const placeOf = buildPlaceMap(path);
  const first = history.items.find(({ kind }) => kind !== 'packet');
  const start = first ? placeOf(first) : -1;
  const firstKeptEntryId = first?.from.entryId ?? null;
  if (start === -1 || firstKeptEntryId === null) return null;
  const isDropped = (item: HistoryItem): boolean => placeOf(item) < start || isSummaryInForce(session, path, item);
  const canBeExpressed = (item: HistoryItem): boolean => {
    // A new packet replaces the old one: by the compaction, or by an edit.
    if (item.kind === 'packet') return isDropped(item) || isOfEntry(item);
    return isOfEntry(item) && placeOf(item) >= start;
  };
  const isKept = history.items.every(canBeExpressed) && !isEditedFromAbove(path, start);
  return isKept ? { firstKeptEntryId, isDropped } : null;
}

/** Whether an item is the summary of a stock compaction, which the next one replaces. */
export function isSummaryInForce(session: Session, path: readonly Head[], { from }: HistoryItem): boolean {
  if (from.origin !== 'compaction') return false;
  const at = path.findLastIndex(({ line }) => line === from.line);
  return path[at]?.type === 'compaction' || isDualWritten(session, path, at);
}

/** Whether it comes from an entry of the path, edited or not, rather than from a transform. */
function isOfEntry({ from: { origin } }: HistoryItem): boolean {
  return origin === 'entry' || origin === 'edit';
}

function buildPlaceMap(path: readonly Head[]): (item: HistoryItem) => number {
  const places = new Map(path.map(({ line }, at) => [line, at]));
  return ({ from }) => places.get(from.line) ?? -1;
}

/** Pi ignores an edit before the boundary, also of an entry after it. */
function isEditedFromAbove(path: readonly Head[], start: number): boolean {
  const below = new Set(path.slice(start).map(({ id }) => id));
  return path.slice(0, start).some(({ type, target }) => type === 'context_edit' && below.has(target));
}
