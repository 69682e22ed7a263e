import { asString, type JsonObject } from '#base/json.js';
import { transformAbove } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/**
 * Whether the agent that reads a path knows transforms: the path holds one that no stock compaction repeats. Stock Pi
 * never writes a transform, and `ctx` writes both halves of a dual write for sessions of stock Pi.
 */
export function readsTransforms(session: Session, path: readonly Head[]): boolean {
  return path.some(({ type }, at) => type === 'context_transform' && !isDualWritten(session, path, at));
}

/** Whether the transform at a place of a path is the first half of a dual write. */
export function isDualWritten(session: Session, path: readonly Head[], at: number): boolean {
  return path[at + 1]?.type === 'compaction' && transformAbove(session, path, at + 1) !== null;
}

/** The ids of new entries that stock Pi ignores; a transform that a stock compaction repeats is honoured through it. */
export function ignoredByStock(entries: readonly JsonObject[]): readonly string[] {
  return entries.flatMap((entry, at) =>
    UNKNOWN_TO_STOCK.has(entry['type']) && !isRepeatedBy(entry, entries[at + 1]) ? (asString(entry['id']) ?? []) : [],
  );
}

const UNKNOWN_TO_STOCK: ReadonlySet<unknown> = new Set(['context_transform', 'ephemeral']);

function isRepeatedBy({ id, transformerName }: JsonObject, next: JsonObject | undefined): boolean {
  return transformerName === 'compaction' && next?.['type'] === 'compaction' && next['parentId'] === id;
}
