import { isObject, type JsonObject } from '#base/json.js';

/** The payload of a line. The first versions wrote items without an envelope. */
export function payloadOf(value: JsonObject | undefined): JsonObject {
  if (value === undefined) return {};
  return isObject(value['payload']) ? value['payload'] : value;
}

/** The first versions wrote the fields of the session without an envelope. */
export function isHeader(value: JsonObject): boolean {
  if (value['type'] === 'session_meta') return isObject(value['payload']);
  return !('type' in value) && typeof value['id'] === 'string' && 'instructions' in value && 'timestamp' in value;
}

/** The field of a header that names the rollout before it; null if there is none. */
export function historyBaseOf({ history_base: base }: JsonObject): JsonObject | null {
  return isObject(base) ? base : null;
}

/** The time in milliseconds since 1970 that the id of a thread or a turn begins with (UUID version 7); NaN for another id. */
export function timeOfId(id: string): number {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(id) ?? [];
  return Number.parseInt(`${high ?? ''}${low ?? ''}`, 16);
}
