import { isObject, type JsonObject } from '#base/json.js';

/** The `customType` of the hidden message that a packet is for stock Pi, and what the compaction that holds one says. */
export const PACKET_TYPE = 'ctx.packet';

/** The `details` of a compaction whose summary is a packet. A restore that writes it again copies them. */
export const PACKET_DETAILS: JsonObject = { customType: PACKET_TYPE };

/** Whether the summary of a compaction is a packet: made from the ledger, so it tells the ledger nothing new. */
export function holdsPacket({ details }: JsonObject): boolean {
  return isObject(details) && details['customType'] === PACKET_TYPE;
}
