import { isObject, type JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/** The `customType` of the entry that stands above the edits of one prune and says how many entries belong to it. */
export const PRUNE_TYPE = 'ctx.prune';
/** The same of an entry that undoes others, alone or with those below it. */
export const RESTORE_TYPE = 'ctx.restore';

/** What each of them is made of for stock Pi, below the entry that says so. */
const PARTS: ReadonlyMap<unknown, ReadonlySet<string | null>> = new Map([
  [PRUNE_TYPE, new Set(['compaction', 'context_edit', 'custom_message'])],
  [RESTORE_TYPE, new Set(['compaction', 'context_edit', 'message'])],
]);

/** Entries that are one change, and stand one below the other. */
export interface EntryBatch {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly type: unknown;
  /** What the entry above the others says. */
  readonly data: JsonObject;
}

/** For every place of a path that belongs to a prune or a restore of several entries, what else does. */
export function batchesOn(session: Session, path: readonly Head[]): ReadonlyMap<number, EntryBatch> {
  const batches = new Map<number, EntryBatch>();
  for (const [from, head] of path.entries()) {
    const { customType: type, data } = head.type === 'custom' ? session.entry(head) : {};
    const parts = PARTS.get(type);
    if (!parts || !isObject(data)) continue;
    const last = from + (typeof data['entries'] === 'number' ? data['entries'] : 0);
    let to = from + 1;
    while (to <= last && parts.has(path[to]?.type ?? null)) to += 1;
    for (let at = from; at < to; at += 1) batches.set(at, { from, to, type, data });
  }
  return batches;
}

/** The `customType` of the hidden message that a packet is for stock Pi, and what the compaction that holds one says. */
export const PACKET_TYPE = 'ctx.packet';

/** The `details` of a compaction whose summary is a packet. A restore that writes it again copies them. */
export const PACKET_DETAILS: JsonObject = { customType: PACKET_TYPE };

/** Whether the summary of a compaction is a packet: made from the ledger, so it tells the ledger nothing new. */
export function holdsPacket({ details }: JsonObject): boolean {
  return isObject(details) && details['customType'] === PACKET_TYPE;
}
