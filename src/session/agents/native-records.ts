import type { JsonObject } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { ByteSource } from '../scan/byte-source.js';
import type { LineSpan } from '../scan/lines.js';

/** A line of another agent's file, parsed. A file that is one JSON document is one line. */
export interface AgentRecord extends LineSpan {
  readonly value: JsonObject;
}

/** The records of an agent's file, and the entries that `ctx` builds from them. */
export interface NativeRecords {
  readonly source: ByteSource;
  /** All records, in the order of the file. Damage and blanks are left out. */
  all(): Iterable<AgentRecord>;
  /** The records of an entry, at least one. */
  of(head: Head): readonly LineSpan[];
  valueAt(span: LineSpan): JsonObject;
}

/** Returns where the last record of an entry begins; Infinity for null, the end of the file. */
export function findEnd({ of }: NativeRecords, end: Head | null): number {
  return end === null ? Infinity : Math.max(...of(end).map(({ offset }) => offset));
}
