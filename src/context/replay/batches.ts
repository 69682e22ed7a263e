import { asString, isObject, type JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The `customType` of the entry before the edits of one prune, which states their number. */
export const PRUNE_TYPE = 'ctx.prune';
/** The `customType` of an entry that undoes others, alone or with the entries after it. */
export const RESTORE_TYPE = 'ctx.restore';

/** The `customType` of the first entry of a branch that copies another one with changes: see `rewriteAt`. */
export const REWRITE_TYPE = 'ctx.rewrite';

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

/** For every place of a path in a prune or restore of several entries, the others. */
export function findBatches(session: Session, path: readonly Head[]): ReadonlyMap<number, EntryBatch> {
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

/** The `customType` of the hidden message of a packet for stock Pi, and of a compaction with a packet. */
export const PACKET_TYPE = 'ctx.packet';

/** The `details` of a compaction whose summary is a packet. A restore of it copies them. */
export const PACKET_DETAILS: JsonObject = { customType: PACKET_TYPE };

/** Whether the summary of a compaction is a packet, which was made from the ledger and adds no facts to it. */
export function hasPacket({ details }: JsonObject): boolean {
  return isObject(details) && details['customType'] === PACKET_TYPE;
}

/** The `customType` of the entry that names the hooks and the engine of the requests after it. */
export const LIVE_TYPE = 'ctx.live';

/** The hook modules, by the names of their files, and the engine that change what a running agent sends. */
export interface LiveExtensions {
  readonly hooks: readonly string[];
  readonly engine: string | null;
}

/** The hooks and the engine that an entry names; null: it is another entry. */
export function readLiveExtensions({ customType, data }: JsonObject): LiveExtensions | null {
  if (customType !== LIVE_TYPE || !isObject(data)) return null;
  const { hooks, engine } = data;
  return { hooks: Array.isArray(hooks) ? hooks.map(String) : [], engine: asString(engine) };
}
