import type { JsonObject } from '#base/json.js';

/** A file with a record on each line. */
export function toLines(records: readonly JsonObject[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
