import { asString, isObject, type JsonObject } from '#base/json.js';
import { IMPORTED_FROM } from '../../scan/imported-from.js';

/** Tests whether OpenClaw wrote a session that begins with these records. */
export function isOpenClaw(first: readonly JsonObject[]): boolean {
  const [start] = first;
  if (start?.['type'] !== 'session' || typeof start['id'] !== 'string' || IMPORTED_FROM in start) return false;
  if (isObject(start['openclaw']) || isInItsFolder(start)) return true;
  return first.some((record) => isOwnEntry(record) || hasOwnId(start, record));
}

/**
 * Whether an entry has an id as OpenClaw gives it. In version 4 that is a UUID, while ids of Pi have eight hex digits.
 */
function hasOwnId({ version }: JsonObject, { type, id }: JsonObject): boolean {
  return version === NEWEST_VERSION && type !== 'session' && UUID.test(asString(id) ?? '');
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/**
 * Whether a file is in the folder of OpenClaw. Before the first entry only the place tells: a later Pi may use version
 * 4 too.
 */
function isInItsFolder({ version, cwd }: JsonObject): boolean {
  return version === NEWEST_VERSION && /[\\/]\.openclaw(?:[\\/]|$)/.test(asString(cwd) ?? '');
}

/** The version of the format of new sessions. Pi has not written it. */
export const NEWEST_VERSION = 4;

function isOwnEntry(record: JsonObject): boolean {
  const { type, customType, message, appendMode } = record;
  if (type === 'reset' || appendMode === 'side' || (type === 'leaf' && 'targetId' in record)) return true;
  if (type === 'custom' || type === 'custom_message')
    return customType === 'model-snapshot' || /^openclaw[.:]/.test(asString(customType) ?? '');
  return type === 'message' && isObject(message) && (message['provider'] === 'openclaw' || '__openclaw' in message);
}
