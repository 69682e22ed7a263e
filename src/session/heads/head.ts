import { asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { truncate } from '#base/text.js';
import { parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../scan/lines.js';
import { isLocalAnswer } from './answer.js';

/**
 * An id as a value to compare. Pi never validates it, so it may not be a string, and `1` and `"1"`
 * are different ids.
 */
export type RawId = string | number | boolean | null | undefined;

/** The fields of an entry that the tree needs; the rest of its line is parsed on demand. */
export interface NewHead extends LineSpan {
  /** null if the line is not an object, or has no type. */
  readonly type: string | null;
  readonly id: RawId;
  readonly parentId: RawId;
  /** The role of a `message` entry, else null. */
  readonly role: string | null;
  /** The target of a label or edit, or the first entry that a compaction keeps. */
  readonly target: RawId;
  /** The entry's timestamp in milliseconds since 1970, NaN if it is missing or invalid. */
  readonly time: number;
  /** The position of the `usage` object of the entry or its message in the line; a length of 0: there is none. */
  readonly usageStart: number;
  readonly usageLength: number;
  /** Whether it is a branch summary that is not empty. */
  readonly hasSummary: boolean;
  /**
   * Whether the program made the message by itself, not the user or the model. What an agent adds to the input starts
   * no turn, and an answer that no provider gave answers no request.
   */
  readonly isAdded?: boolean;
}

/** A copy without the `index` that a head of a session has. */
export function copyHead(head: NewHead): NewHead {
  const { line, offset, length, type, id, parentId, role, target, time, usageStart, usageLength, hasSummary } = head;
  const added = head.isAdded ? { isAdded: true } : {};
  return {
    line,
    offset,
    length,
    type,
    id,
    parentId,
    role,
    target,
    time,
    usageStart,
    usageLength,
    hasSummary,
    ...added,
  };
}

/** The head of an entry with its position: `index` counts the entries of the file from 0. */
export interface Head extends NewHead {
  readonly index: number;
}

/** A usage with an unknown position in the line: the whole line is parsed. */
export const UNKNOWN_PLACE = 0;

export function toHead(value: unknown, { line, offset, length }: LineSpan): NewHead {
  const entry = asObject(value);
  const type = asString(entry.type);
  const message = type === 'message' && isObject(entry.message) ? entry.message : null;
  return {
    line,
    offset,
    length,
    type,
    id: toRawId(entry.id),
    parentId: toRawId(entry.parentId),
    role: message && asString(message.role),
    target: toRawId(findTarget(type, entry)),
    time: parseTimestamp(entry.timestamp),
    usageStart: UNKNOWN_PLACE,
    usageLength: findUsage(entry) === null ? 0 : length,
    hasSummary: type === 'branch_summary' && Boolean(entry.summary),
    ...(message && isLocalAnswer(message) ? { isAdded: true } : {}),
  };
}

/**
 * Finds the recorded usage of an entry: that of the request of a message, else that of a summary or of a call outside
 * the context.
 */
export function findUsage(entry: JsonObject): JsonObject | null {
  const holder = entry.type === 'message' ? entry.message : entry;
  const usage = isObject(holder) ? holder.usage : null;
  return isObject(usage) ? usage : null;
}

/** A text that identifies an entry, also among another agent's entries of one line. */
export function buildPlaceKey({ line, entryId }: { readonly line: number; readonly entryId: string | null }): string {
  return `${line} ${entryId}`;
}

/** The `buildPlaceKey` of an entry. */
export function buildHeadKey({ line, id }: Pick<Head, 'line' | 'id'>): string {
  return buildPlaceKey({ line, entryId: formatId(id) });
}

/** An id for messages and JSON: null if the entry has none. */
export function formatId(id: RawId): string | null {
  return id === undefined || id === null ? null : String(id);
}

/** Formats an id for a sentence: files may contain ids of any length. */
export function quoteId(id: RawId): string {
  const text = String(id);
  return JSON.stringify(truncate(text, LONGEST_QUOTE));
}

const LONGEST_QUOTE = 80;

/** An id in an error: quoted if it is more than a word, so that a reader can tell it from the sentence. */
export function formatIdWord(id: RawId): string {
  const text = String(id);
  return /^[\w.:-]{1,80}$/.test(text) ? text : quoteId(id);
}

function findTarget(type: string | null, entry: JsonObject): unknown {
  if (type === 'label' || type === 'context_edit') return entry.targetId;
  return type === 'compaction' || type === 'reset_boundary' ? entry.firstKeptEntryId : undefined;
}

/** Objects are never equal to one another, so they count as missing ids. */
function toRawId(value: unknown): RawId {
  return typeof value === 'object' && value !== null ? undefined : (value as RawId);
}
