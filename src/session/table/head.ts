import { asString, isObject, type JsonObject } from '#base/json.js';
import { timeOf } from '#base/time.js';
import type { LineSpan } from '../scan/bytes.js';

/**
 * A value that ids are compared by. Pi never checks it, so it need not be a string, and `1` and `"1"`
 * are different ids.
 */
export type RawId = string | number | boolean | null | undefined;

/** The fields of an entry that the tree needs; the rest of its line is parsed on demand. */
export interface NewHead extends LineSpan {
  /** null where the line is not an object, or has no type. */
  readonly type: string | null;
  readonly id: RawId;
  readonly parentId: RawId;
  /** The role of a `message` entry, else null. */
  readonly role: string | null;
  /** The entry that a label or edit is about, or the first one that a compaction keeps. */
  readonly target: RawId;
  /** The entry's timestamp in milliseconds since 1970, NaN where it says nothing. */
  readonly time: number;
  /** Where the `usage` object of the entry or its message stands in the line; a length of 0: there is none. */
  readonly usageStart: number;
  readonly usageLength: number;
  /** Whether it is a branch summary that says something. */
  readonly hasSummary: boolean;
}

/** A head of its own, to be changed. */
export function copyOf(head: NewHead): NewHead {
  const { line, offset, length, type, id, parentId, role, target, time, usageStart, usageLength, hasSummary } = head;
  return { line, offset, length, type, id, parentId, role, target, time, usageStart, usageLength, hasSummary };
}

/** The head of an entry in its place: `index` counts the entries of the file from 0. */
export interface Head extends NewHead {
  readonly index: number;
}

/** A usage whose place in the line is not known: the whole line holds it. */
export const SOMEWHERE = 0;

export function headOf(value: unknown, { line, offset, length }: LineSpan): NewHead {
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
    time: timeOf(entry['timestamp']),
    usageStart: SOMEWHERE,
    usageLength: usageIn(entry) === null ? 0 : length,
    hasSummary: type === 'branch_summary' && Boolean(entry['summary']),
  };
}

/** The usage recorded with an entry: of a message's request, else of a summary or of a call beside the context. */
export function usageIn(entry: JsonObject): JsonObject | null {
  const holder = entry['type'] === 'message' ? entry['message'] : entry;
  const usage = isObject(holder) ? holder['usage'] : null;
  return isObject(usage) ? usage : null;
}

/** An id fit for messages and JSON: null where the entry has none. */
export function idText(id: RawId): string | null {
  return id === undefined || id === null ? null : String(id);
}

/** An id as it is named in a sentence: files may hold ids of any length. */
export function quotedId(id: RawId): string {
  const text = String(id);
  return JSON.stringify(text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE)}…`);
}

const LONGEST_QUOTE = 80;

function targetOf(type: string | null, entry: JsonObject): unknown {
  if (type === 'label' || type === 'context_edit') return entry['targetId'];
  return type === 'compaction' ? entry['firstKeptEntryId'] : undefined;
}

/** Objects are never equal to one another, so as ids they are as good as none. */
function rawId(value: unknown): RawId {
  return typeof value === 'object' && value !== null ? undefined : (value as RawId);
}
