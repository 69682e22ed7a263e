import { isObject, type JsonObject } from '#base/json.js';

/** The payload of a line. The first versions wrote items without an envelope. */
export function payloadOf(value: JsonObject | undefined): JsonObject {
  if (value === undefined) return {};
  return isObject(value['payload']) ? value['payload'] : value;
}

/** A line with another payload. */
export function withPayload(value: JsonObject, payload: JsonObject): JsonObject {
  return isObject(value['payload']) ? { ...value, payload } : payload;
}

/** Whether a line has an item of the Responses API, with or without an envelope. */
export function isItemRecord({ type, payload }: JsonObject): boolean {
  return type === 'response_item' || (payload === undefined && typeof type === 'string');
}

/** The first versions wrote the fields of the session without an envelope. */
export function isRolloutHeader(value: JsonObject): boolean {
  if (value['type'] === 'session_meta') return isObject(value['payload']);
  return !('type' in value) && typeof value['id'] === 'string' && 'instructions' in value && 'timestamp' in value;
}

/** The field of a header that names the rollout before it; null if there is none. */
export function historyBaseOf({ history_base: base }: JsonObject): JsonObject | null {
  return isObject(base) ? base : null;
}
