import { createHash } from 'node:crypto';
import { canonicalJson, isJsonEqual } from '#base/canonical-json.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer, readEntryMessage } from '#context/replay/convert.js';
import type { Replay } from '#context/replay/replay.js';
import type { StoredMessage } from '#session/entry.js';

/**
 * The `customType` of the entry that marks the next message as left out by a hook. Pi keeps every message, and appends it
 * after its handlers have run: a mark that is written first also counts after a crash in between.
 */
export const DROPPED_TYPE = 'ctx.dropped';

/** The `data` of the mark of a message. */
export function buildDropMark(message: StoredMessage, hook: string): JsonObject {
  const { role, timestamp } = message;
  return { role, timestamp, sha256: hashMessage(message), hook };
}

interface Mark {
  readonly role: unknown;
  readonly timestamp: unknown;
  readonly sha256: string | null;
  readonly hook: string;
}

/** Follows the entries of a branch, and finds the messages that hooks left out. */
export class DroppedMessages {
  /** The marks whose messages have not come yet. */
  private marks: readonly Mark[] = [];

  /** Whether one of the next messages is left out. */
  get isWaiting(): boolean {
    return this.marks.length > 0;
  }

  /** The hook that left out the message of the next entry; null: it is sent, or the entry has none. */
  next(entry: JsonObject): string | null {
    if (entry.type === 'custom') this.marks = [...this.marks, ...readMarks(entry)];
    if (this.marks.length === 0) return null;
    const message = readEntryMessage(entry);
    const mark = message && this.marks.find((each) => matchesMark(each, message));
    if (!mark) return null;
    this.marks = this.marks.filter((each) => each !== mark);
    return mark.hook;
  }
}

function readMarks({ customType, data }: JsonObject): readonly Mark[] {
  if (customType !== DROPPED_TYPE || !isObject(data)) return [];
  const { role, timestamp, sha256, hook } = data;
  return [{ role, timestamp, sha256: asString(sha256), hook: asString(hook) ?? '' }];
}

/** Another extension may have changed the content since, and Pi gives an extension's message another time. */
function matchesMark({ role, timestamp, sha256 }: Mark, message: StoredMessage): boolean {
  if (message.role !== role) return false;
  return (timestamp !== undefined && message.timestamp === timestamp) || hashMessage(message) === sha256;
}

function hashMessage({ role, content }: StoredMessage): string {
  return createHash('sha256').update(canonicalJson({ role, content })).digest('hex');
}

/** Entries by their ids, with the messages that are sent instead of theirs; null: none is. */
export type MessageChanges = ReadonlyMap<string | null, LlmMessage | null>;

/** The transform that makes changes of messages last. null: the context has none of them. */
export function buildMessageTransform(replay: Replay, changes: MessageChanges): JsonObject | null {
  if (changes.size === 0) return null;
  const { cached } = replay.content().messages;
  const origins = replay.messages.listProvenance();
  let isChanged = false;
  const messages = cached.flatMap((message, at) => {
    const { origin = 'transform', entryId = null } = origins[at] ?? {};
    const change = origin === 'transform' ? undefined : changes.get(entryId);
    if (change === undefined || (change !== null && isJsonEqual(change, message))) return message;
    isChanged = true;
    return change ?? [];
  });
  if (!isChanged) return null;
  const invalidateCacheReason = 'a hook changed or left out a message';
  const op = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason, messages };
  return { schemaVersion: 1, transformerName: 'message', patch: [op] };
}

/** Whether a request ends with something that a model answers. */
export function isAnswerable(messages: readonly LlmMessage[]): boolean {
  const last = messages.findLast((message) => !isFailedAnswer(message));
  return last !== undefined && last.role !== 'assistant';
}
