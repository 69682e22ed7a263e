import type { JsonObject } from '#base/json.js';
import { readEntryMessage, readSummaryMessage } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';

/** The nearest message at a place or above it; -1: there is none. */
export function findMessageBefore(path: readonly Head[], at: number): number {
  return path.slice(0, at + 1).findLastIndex(isVisibleToHooks);
}

/** Whether message hooks see the message of an entry: all that are sent, also the summaries that Pi adds. */
export function isVisibleToHooks({ type, role }: Head): boolean {
  return type === 'message' ? role !== 'system' : type === 'compaction' || MESSAGE_TYPES.has(type);
}

/** The message of such an entry, in the agent's own form. */
export function readHookMessage(entry: JsonObject): StoredMessage | null {
  if (entry.type !== 'compaction') return readEntryMessage(entry);
  return typeof entry.summary === 'string' ? readSummaryMessage(entry) : null;
}
