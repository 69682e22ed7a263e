import type { JsonObject } from '#base/json.js';

/**
 * Lists the parts of a document once. Each entry of a session that is one document is built of one part of it, so that a list for
 * every entry would take time that grows with the square of their number.
 */
export function listOnce<Part>(
  list: (document: JsonObject) => readonly Part[],
): (document: JsonObject | undefined) => readonly Part[] {
  const lists = new WeakMap<JsonObject, readonly Part[]>();
  return (document) => {
    if (!document) return [];
    const known = lists.get(document);
    if (known) return known;
    const parts = list(document);
    lists.set(document, parts);
    return parts;
  };
}
