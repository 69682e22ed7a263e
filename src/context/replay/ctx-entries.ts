import { asString, isObject, type JsonObject } from '#base/json.js';

/** The `customType` of the entry before the edits of one prune, which states their number. */
export const PRUNE_TYPE = 'ctx.prune';

/** The `customType` of an entry that undoes others, alone or with the entries after it. */
export const RESTORE_TYPE = 'ctx.restore';

/**
 * The `customType` of the first entry of a branch that copies another one with changes: see
 * src/lab/drive/transcript/rewrite.ts.
 */
export const REWRITE_TYPE = 'ctx.rewrite';

/** The `customType` of the hidden message of a packet for stock Pi, and of a compaction with a packet. */
export const PACKET_TYPE = 'ctx.packet';

/** The `details` of a compaction whose summary is a packet. A restore of it copies them. */
export const PACKET_DETAILS: JsonObject = { customType: PACKET_TYPE };

/** Whether the summary of a compaction is a packet, which was made from the facts and adds none. */
export function hasPacket({ details }: JsonObject): boolean {
  return isObject(details) && details.customType === PACKET_TYPE;
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
