import type { JsonObject } from '#base/json.js';
import type { LineSpan } from '../scan/lines.js';
import { toLineSpan } from '../scan/scan.js';
import type { AgentRecord } from './native-records.js';

/** A file that is one document. */
export interface OneDocument {
  /** An empty object for a file without one. */
  readonly value: JsonObject;
  readonly span: LineSpan;
  /**
   * The number of lines that are not part of a context: objects after the first, in a damaged file, and the document
   * itself if it has none of its parts.
   */
  countUnused(parts: readonly unknown[]): number;
}

/** Reads a file that is one document. */
export function readDocument(lines: Iterable<AgentRecord>): OneDocument {
  const [record, ...others] = lines;
  if (!record) return { value: {}, span: NO_SPAN, countUnused: () => 0 };
  return {
    value: record.value,
    span: toLineSpan(record),
    countUnused: (parts) => others.length + (parts.length === 0 ? 1 : 0),
  };
}

const NO_SPAN: LineSpan = { line: 1, offset: 0, length: 0 };

/**
 * Caches what is read of a document. Each entry of such a session is built from one part of it: listing the parts again
 * for every entry would take time that grows with the square of their number.
 */
export function readOnce<Value>(read: (document: JsonObject) => Value): (document?: JsonObject) => Value {
  const values = new WeakMap<JsonObject, { readonly value: Value }>();
  return (document = {}) => {
    const cached = values.get(document);
    if (cached) return cached.value;
    const value = read(document);
    values.set(document, { value });
    return value;
  };
}
