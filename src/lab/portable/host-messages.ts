import { deepFreeze } from '#base/freeze.js';
import { isObject, type JsonObject } from '#base/json.js';
import { incrementCount } from '#base/maps.js';
import { formatTime } from '#base/time.js';
import { readSession } from '#session/read-session.js';
import { toByteSource } from '#session/scan/byte-source.js';
import type { Session } from '#session/session.js';
import type { AgentMessage, Compacted } from '../contract.js';
import type { TranscriptEntry } from '../runtime-context.js';

/**
 * The messages of a session, as a host passes them from call to call: copies, with the ids of their entries or without.
 */
export class HostMessages {
  /** The conversation as the engine sees it. */
  messages: readonly AgentMessage[] = [];
  private readonly interned = new Map<string, AgentMessage>();
  private readonly keys = new WeakMap<AgentMessage, string>();
  private readonly ids = new Map<string, string>();
  /** A compaction of the engine that the host has not applied. */
  private view: { readonly summary: AgentMessage; readonly kept: string } | null = null;
  /** The compactions of the engine, by their summaries. */
  private readonly compactions = new Map<unknown, Compacted>();

  /** Takes in the messages of a call. The copies of one message become one object. */
  take(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    this.messages = this.showCompaction(this.internAll(messages));
    return this.messages;
  }

  /** Takes in entries: the messages, with their ids. */
  takeEntries(entries: readonly TranscriptEntry[]): void {
    const withMessages = entries.flatMap(({ entryId, message }) => (message ? [{ entryId, message }] : []));
    const messages = this.internAll(withMessages.map(({ message }) => message));
    for (const [at, message] of messages.entries()) this.ids.set(this.keyOf(message), withMessages[at]?.entryId ?? '');
    this.messages = this.showCompaction(messages);
  }

  transcript(): readonly TranscriptEntry[] {
    return this.messages.map((message, at) => ({ entryId: this.idAt(message, at), message }));
  }

  /** Whether the host gave this id to an entry. */
  knowsEntry(entryId: string): boolean {
    return [...this.ids.values()].includes(entryId);
  }

  /** Shows the engine its own compaction from now on, unless the host does. */
  compact(result: Compacted, time: number): void {
    const { summary, firstKeptEntryId, tokensBefore } = result;
    const at = this.messages.findIndex((message, place) => this.idAt(message, place) === firstKeptEntryId);
    const kept = this.messages[at];
    if (summary === undefined || !kept) return;
    this.compactions.set(summary, result);
    const message = deepFreeze({ role: 'compactionSummary', summary, tokensBefore, timestamp: time });
    this.view = { summary: message, kept: this.keyOf(kept) };
    this.messages = [message, ...this.messages.slice(at)];
  }

  /** The conversation as a session, for what works on sessions. */
  buildSession(id: string): Session {
    const header = { type: 'session', version: 3, id, timestamp: formatTime(0), cwd: '' };
    const lines = [header, ...chainEntries(this.entries())].map((line) => `${JSON.stringify(line)}\n`).join('');
    return readSession(toByteSource(new TextEncoder().encode(lines)), id);
  }

  /** A summary comes after the messages that it kept, which are older. */
  private entries(): readonly JsonObject[] {
    const all: readonly JsonObject[] = this.transcript().map(({ entryId, message }) => ({
      id: entryId,
      ...toEntryFields(message ?? { role: '' }),
    }));
    const [first, ...kept] = all;
    if (first?.type !== 'compaction') return all;
    const time = Number(first.timestamp);
    const place = kept.findLastIndex(({ timestamp }) => Number(timestamp) <= time) + 1;
    const { details } = this.compactions.get(first.summary) ?? {};
    const compaction = { ...first, firstKeptEntryId: kept[0]?.id, details };
    return [...kept.slice(0, place), compaction, ...kept.slice(place)];
  }

  private showCompaction(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    const { view } = this;
    if (view === null) return messages;
    const at = messages.findIndex((message) => this.keyOf(message) === view.kept);
    const isApplied = messages.some(({ summary }) => summary === view.summary.summary);
    if (at !== -1 && !isApplied) return [view.summary, ...messages.slice(at)];
    this.view = null;
    return messages;
  }

  private idAt(message: AgentMessage, place: number): string {
    return this.ids.get(this.keyOf(message)) ?? `message-${place + 1}`;
  }

  private keyOf(message: AgentMessage): string {
    return this.keys.get(message) ?? '';
  }

  /** Messages that say the same are told apart by their order. */
  private internAll(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    const times = new Map<string, number>();
    return messages.map((message) => {
      const text = JSON.stringify(message);
      return this.intern(message, `${incrementCount(times, text)} ${text}`);
    });
  }

  private intern(message: AgentMessage, key: string): AgentMessage {
    const earlier = this.interned.get(key);
    if (earlier) return earlier;
    const own = deepFreeze(structuredClone(message));
    this.interned.set(key, own);
    this.keys.set(own, key);
    return own;
  }
}

/** The fields of the entry that holds a message. */
function toEntryFields(message: AgentMessage): JsonObject {
  const { role, timestamp, ...fields } = message;
  switch (role) {
    case 'compactionSummary':
      return { type: 'compaction', ...fields, timestamp };
    case 'branchSummary':
      return { type: 'branch_summary', ...fields, timestamp };
    case 'custom':
      return { type: 'custom_message', ...fields, timestamp };
    default:
      return { type: 'message', message, timestamp };
  }
}

function chainEntries(entries: readonly JsonObject[]): readonly JsonObject[] {
  return entries.map((entry, at) => ({
    ...entry,
    parentId: entries[at - 1]?.id ?? null,
    timestamp: formatTime(Number(entry.timestamp) || 0),
  }));
}

/** The time of the newest message, in milliseconds since 1970. */
export function findNewestTime(messages: readonly AgentMessage[]): number {
  return messages.reduce((newest, message) => {
    const time = isObject(message) ? Number(message.timestamp) : NaN;
    return time > newest ? time : newest;
  }, 0);
}
