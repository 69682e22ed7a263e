import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { isDualWritten } from '../plan/reader.js';
import type { Item } from './history.js';
import type { Pruned } from './prune.js';

/** The first entry that stock Pi keeps, where a compaction retains what a prune has left. */
export interface Boundary {
  readonly firstKeptEntryId: string;
  /** Whether the message of an item goes because its entry is above the boundary, or is the summary in force. */
  goesByItself(item: Item): boolean;
}

/**
 * Where a stock compaction at the end of a path retains from, so that its summary replaces the one in force and all
 * that is above the first message that stays. null where no boundary leaves just what stays: a summary stays, or a
 * message that a transform has made, or an edit above the boundary counts below it.
 */
export function boundaryOf(session: Session, path: readonly Head[], { history }: Pruned): Boundary | null {
  const placeOf = placesOn(path);
  const first = history.items.find(({ kind }) => kind !== 'packet');
  const start = first ? placeOf(first) : -1;
  const firstKeptEntryId = first?.from.entryId ?? null;
  if (start === -1 || firstKeptEntryId === null) return null;
  const goesByItself = (item: Item): boolean => placeOf(item) < start || isSummaryInForce(session, path, item);
  const isFit = (item: Item): boolean =>
    item.kind === 'packet' ? goesByItself(item) || isOfEntry(item) : isOfEntry(item) && placeOf(item) >= start;
  const isKept = history.items.every(isFit) && !isEditedFromAbove(path, start);
  return isKept ? { firstKeptEntryId, goesByItself } : null;
}

/** Whether an item is the summary of a stock compaction, which the next one replaces. */
export function isSummaryInForce(session: Session, path: readonly Head[], { from }: Item): boolean {
  if (from.origin !== 'compaction') return false;
  const at = path.findLastIndex(({ line }) => line === from.line);
  return path[at]?.type === 'compaction' || isDualWritten(session, path, at);
}

/** Whether an entry of the path says it, edited or not; a transform has made all else. */
function isOfEntry({ from: { origin } }: Item): boolean {
  return origin === 'entry' || origin === 'edit';
}

function placesOn(path: readonly Head[]): (item: Item) => number {
  const places = new Map(path.map(({ line }, at) => [line, at]));
  return ({ from }) => places.get(from.line) ?? -1;
}

/** Pi ignores an edit above the boundary, also of an entry below it. */
function isEditedFromAbove(path: readonly Head[], start: number): boolean {
  const below = new Set(path.slice(start).map(({ id }) => id));
  return path.slice(0, start).some(({ type, target }) => type === 'context_edit' && below.has(target));
}
