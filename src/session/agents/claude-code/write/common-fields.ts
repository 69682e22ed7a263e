import type { JsonObject } from '#base/json.js';

/** The fields of a record that do not depend on what it says. */
export function commonFields(record: JsonObject): JsonObject {
  return Object.fromEntries(COMMON_FIELDS.flatMap((field) => (field in record ? [[field, record[field]]] : [])));
}

const COMMON_FIELDS = ['userType', 'entrypoint', 'cwd', 'sessionId', 'version', 'gitBranch', 'slug'] as const;
