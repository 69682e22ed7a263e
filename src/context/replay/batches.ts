import { isObject, type JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { PRUNE_TYPE, RESTORE_TYPE } from './ctx-entries.js';

/** The type of entry that each consists of for stock Pi, after the entry that states their number. */
const PARTS: ReadonlyMap<unknown, ReadonlySet<string | null>> = new Map([
  [PRUNE_TYPE, new Set(['compaction', 'context_edit', 'custom_message'])],
  [RESTORE_TYPE, new Set(['compaction', 'context_edit', 'message'])],
]);

/** Consecutive entries that form one change. */
export interface EntryBatch {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly type: unknown;
  /** The data of the first entry. */
  readonly data: JsonObject;
}

/** Finds the prunes and restores that consist of several entries, by the place of each entry on the path. */
export function findBatches(session: Session, path: readonly Head[]): ReadonlyMap<number, EntryBatch> {
  const batches = new Map<number, EntryBatch>();
  for (const [from, head] of path.entries()) {
    const { customType: type, data } = head.type === 'custom' ? session.entry(head) : {};
    const parts = PARTS.get(type);
    if (!parts || !isObject(data)) continue;
    const last = from + (typeof data.entries === 'number' ? data.entries : 0);
    let to = from + 1;
    while (to <= last && parts.has(path[to]?.type ?? null)) to += 1;
    for (let at = from; at < to; at += 1) batches.set(at, { from, to, type, data });
  }
  return batches;
}
