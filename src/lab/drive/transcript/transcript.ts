import { isJsonEqual } from '#base/canonical-json.js';
import { deepFreeze } from '#base/freeze.js';
import { asObject, isObject, type JsonObject } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import { omitUndefined } from '#base/omit-undefined.js';
import { buildCheckpoint, readProjectedMessages, selectEntries } from '#change/compact/stock-projection.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { AgentMessage, Compacted } from '../../contract.js';
import type { TranscriptEntry, TranscriptRewriteReplacement, TranscriptRewriteResult } from '../../runtime-context.js';
import { BranchEntries } from './branch-entries.js';
import { rewriteBranch } from './rewrite.js';

/**
 * The branch that a session would have if an engine had been in charge: what was recorded, but for the compactions and
 * transforms that were, with the engine's own compactions and rewrites. Messages are frozen, and stay the same objects.
 */
export class Transcript {
  /** The session with what is new in it. Its tree does not know that. */
  readonly session: Session;
  path: Head[] = [];
  private readonly store: BranchEntries;
  /** Entries before the newest compaction's first kept one. */
  private readonly droppedHeads: Head[] = [];
  /** The entries from which copies were made, by the ids of the copies. */
  private readonly originals = new Map<string | null, Head>();
  /** The ids of the newest copies of entries. */
  private readonly renamed = new Map<RawId, string>();

  /** The entries that the model could be shown, with their messages; stale once entries above have changed. */
  private shown: ShownEntry[] = [];
  private isStale = false;
  /** The messages of `shown`, and their indices. */
  private messageList: AgentMessage[] = [];
  private indices = new Map<AgentMessage, number>();
  /** The entries of `shown` in the form of the contract, up to the last one that was asked for. */
  private entryList: TranscriptEntry[] = [];
  private readonly toTranscriptEntry = memoizeByObject(({ head, message }: ShownEntry): TranscriptEntry =>
    deepFreeze({ entryId: formatId(head.id) ?? '', message }),
  );
  private readonly sources = new WeakMap<AgentMessage, Head>();

  constructor(private readonly source: Session) {
    this.store = new BranchEntries(source);
    this.session = { ...source, entry: (head) => this.store.read(head) };
  }

  get last(): Head | null {
    return this.path.at(-1) ?? null;
  }

  /** Goes on with a recorded entry. Returns its message. */
  add(head: Head, entry: JsonObject): AgentMessage | null {
    const target = head.type === 'context_edit' ? this.renamed.get(head.target) : undefined;
    if (target !== undefined) {
      this.originals.set(formatId(head.id), head);
      return this.append(this.store.add({ ...entry, targetId: target }, this.last));
    }
    this.store.keep(head, entry);
    return this.append(head);
  }

  /** The entry with another usage in its message, since the recorded one is that of another context. */
  addBilled(head: Head, entry: JsonObject, usage: JsonObject): AgentMessage | null {
    const message = asObject(entry.message);
    this.store.replace(head, { ...entry, message: { ...message, usage } });
    return this.append(head);
  }

  /** The messages that the model could be shown, oldest first, without the prompt. */
  messages(): readonly AgentMessage[] {
    this.refresh();
    return this.messageList.slice();
  }

  entries(): readonly TranscriptEntry[] {
    this.refresh();
    for (const each of this.shown.slice(this.entryList.length)) this.entryList.push(this.toTranscriptEntry(each));
    return this.entryList.slice();
  }

  /** The entry that one of its messages comes from; null for any other message. */
  sourceOf(message: AgentMessage): string | null {
    return formatId(this.sources.get(message)?.id);
  }

  /**
   * The index of each of its messages. An edit, a compaction or a rewrite, which also changes entries, makes another
   * map.
   */
  get places(): ReadonlyMap<AgentMessage, number> {
    this.refresh();
    return this.indices;
  }

  /** An entry of the branch; undefined: it has none of this id. */
  find(entryId: string): Head | undefined {
    return this.path.find(({ id }) => formatId(id) === entryId);
  }

  /** Replaces the messages before an entry, which leave the branch, by a summary. `time`: milliseconds since 1970. */
  compact({ summary, firstKeptEntryId, tokensBefore, details }: Compacted, time: number): void {
    const checkpoint = buildCheckpoint(this.session, this.path);
    const entry = omitUndefined({
      type: 'compaction',
      id: this.store.createId(),
      parentId: formatId(this.last?.id),
      timestamp: new Date(time).toISOString(),
      summary,
      firstKeptEntryId,
      tokensBefore,
      details: details === undefined ? undefined : structuredClone(details),
      systemMessage: checkpoint ? { ...checkpoint, timestamp: time } : undefined,
    });
    const from = this.path.findIndex(({ id }) => formatId(id) === firstKeptEntryId);
    // A session may be compacted many times, and the older entries are no longer needed.
    this.droppedHeads.push(...this.path.slice(0, from));
    this.path = [...this.path.slice(from), this.store.add(entry, this.last)];
    this.isStale = true;
  }

  /** Replaces messages by a branch. */
  rewrite(replacements: readonly TranscriptRewriteReplacement[]): TranscriptRewriteResult {
    const createId = (): string => this.store.createId();
    const { result, entries, from, renamed } = rewriteBranch(this, structuredClone(replacements), createId);
    if (!result.changed) return result;
    for (const head of this.path.slice(from)) this.originals.set(renamed.get(head.id) ?? null, this.findOriginal(head));
    for (const [first, last] of this.renamed) this.renamed.set(first, renamed.get(last) ?? last);
    for (const [old, id] of renamed) this.renamed.set(old, id);
    this.path = [...this.path.slice(0, from), ...entries.map((entry) => this.store.add(entry, this.last))];
    this.isStale = true;
    return result;
  }

  /** Lists the whole branch: for each entry its original, and its content with the ids of originals. */
  listWritten(): readonly WrittenEntry[] {
    return [...this.droppedHeads, ...this.path].flatMap((head) => {
      const original = this.findOriginal(head);
      // Labels move to the copies when the branch is written.
      if (original === head && head.type === 'label' && this.store.isNew(head)) return [];
      return [{ head: original, entry: this.toWritten(head, original) }];
    });
  }

  private findOriginal(head: Head): Head {
    return this.originals.get(formatId(head.id)) ?? head;
  }

  /** A copy differs from its original by its message alone, whose usage stays the recorded one. */
  private toWritten(head: Head, original: Head): JsonObject {
    if (this.store.isNew(original)) {
      const entry = this.store.read(original);
      const kept = this.originals.get(String(entry.firstKeptEntryId));
      return kept ? { ...entry, firstKeptEntryId: formatId(kept.id) } : entry;
    }
    const recorded = this.source.entry(original);
    const { message: before } = recorded;
    const { message } = this.store.read(head);
    if (head === original || !isObject(message) || !isObject(before)) return recorded;
    return { ...recorded, message: 'usage' in before ? { ...message, usage: before.usage } : message };
  }

  /** The message that it holds; null: it holds none. */
  private append(head: Head): AgentMessage | null {
    this.path.push(head);
    if (head.type === 'context_edit') this.isStale = true;
    const shown = this.show(head, readEntryMessage(this.store.read(head)));
    // A stale list is projected again later, but this message is valid.
    this.shown.push(shown);
    if (shown.message) this.addMessage(shown.message);
    return shown.message;
  }

  /** Projects the branch again, once an edit, a compaction or a rewrite has changed entries above. */
  private refresh(): void {
    if (!this.isStale) return;
    const before = new Map(this.shown.map((each) => [each.head.index, each]));
    const selection = selectEntries(this.path);
    this.store.keepOnly(selection.map(({ head }) => head));
    this.shown = selection.map(({ head, edit, isHidden }) => {
      const old = before.get(head.index);
      // Nothing but another edit changes a message: a branch may be long, and is edited many times.
      if (old && old.edit === edit && head.type !== 'compaction') return old;
      const messages = isHidden ? [] : readProjectedMessages(this.session, head, edit);
      const message = messages.findLast(({ role }) => role !== 'system') ?? null;
      return old && isJsonEqual(old.message, message) ? { ...old, edit } : this.show(head, message, edit);
    });
    this.messageList = [];
    this.entryList = [];
    this.indices = new Map();
    for (const { message } of this.shown) {
      if (message) this.addMessage(message);
    }
    this.isStale = false;
  }

  private addMessage(message: AgentMessage): void {
    this.indices.set(message, this.messageList.length);
    this.messageList.push(message);
  }

  private show(head: Head, message: JsonObject | null, edit?: Head): ShownEntry {
    if (!hasRole(message)) return { head, message: null, edit };
    this.sources.set(deepFreeze(message), head);
    return { head, message, edit };
  }
}

export interface WrittenEntry {
  readonly head: Head;
  readonly entry: JsonObject;
}

interface ShownEntry {
  readonly head: Head;
  readonly edit: Head | undefined;
  readonly message: AgentMessage | null;
}

/** The prompt is no message of the conversation. */
function hasRole(message: JsonObject | null): message is AgentMessage {
  return typeof message?.role === 'string' && message.role !== 'system';
}
