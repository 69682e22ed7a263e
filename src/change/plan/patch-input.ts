import { isObject, type JsonObject, listObjects } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';

/**
 * The ops in a file: a list of them, one alone, or an object that has them as its `patch`. null: it is none of these.
 */
export function readPatchOps(value: unknown): readonly JsonObject[] | null {
  const list = isObject(value) ? (value.patch ?? [value]) : value;
  return Array.isArray(list) && list.every(isObject) ? list : null;
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

/** The messages in a file: a list, one alone, or an op that appends some. null: it is none of these. */
export function readMessages(value: unknown): readonly LlmMessage[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = list.flatMap((item): readonly unknown[] =>
    isObject(item) && Array.isArray(item.messages) ? listObjects(item.messages) : [item],
  );
  return messages.every((item): item is LlmMessage => isObject(item) && ROLES.has(item.role)) ? messages : null;
}
