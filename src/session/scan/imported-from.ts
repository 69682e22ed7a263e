import { asObject, asString, type JsonObject } from '#base/json.js';

/** The member of an import's header that describes the original session. */
export const IMPORTED_FROM = 'importedFrom';

/** The id of the session of another agent that this one was imported from; null for none. */
export function importedIdOf(header: JsonObject): string | null {
  return asString(asObject(header[IMPORTED_FROM]).sessionId) || null;
}
