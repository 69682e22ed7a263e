import type { Span } from './bytes.js';
import { asString, isObject, type JsonObject } from './values.js';

/**
 * A value that ids are compared by. Pi never checks it, so it need not be a string, and `1` and `"1"`
 * are different ids.
 */
export type RawId = string | number | boolean | null | undefined;

/** What the tree needs to know of an entry; the rest of its line is parsed when somebody asks for it. */
export interface Head extends Span {
  /** null where the line is not an object, or has no type. */
  readonly type: string | null;
  readonly id: RawId;
  readonly parentId: RawId;
  /** The role of a `message` entry, else null. */
  readonly role: string | null;
  /** The entry that a label or edit is about, or the first one that a compaction keeps. */
  readonly target: RawId;
}

export function headOf(value: unknown, { line, offset, length }: Span): Head {
  const entry = isObject(value) ? value : {};
  const type = asString(entry['type']);
  return {
    line,
    offset,
    length,
    type,
    id: rawId(entry['id']),
    parentId: rawId(entry['parentId']),
    role: type === 'message' && isObject(entry['message']) ? asString(entry['message']['role']) : null,
    target: rawId(targetOf(type, entry)),
  };
}

/** An id fit for messages and JSON: null where the entry has none. */
export function idText(id: RawId): string | null {
  return id === undefined || id === null ? null : String(id);
}

function targetOf(type: string | null, entry: JsonObject): unknown {
  if (type === 'label' || type === 'context_edit') return entry['targetId'];
  return type === 'compaction' ? entry['firstKeptEntryId'] : undefined;
}

/** Objects are never equal to one another, so as ids they are as good as none. */
function rawId(value: unknown): RawId {
  return typeof value === 'object' && value !== null ? undefined : (value as RawId);
}
