import type { StoredMessage } from '#session/entry.js';
import type { Head, RawId } from '#session/heads/head.js';
import { BY_CHARACTERS, type TokenMethod } from '../size/tokens.js';
import type { WeighedMessage } from '../size/weighed-message.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import { toLlmMessage } from './convert.js';
import { Edits, type PathEdit } from './edits.js';
import type { Provenance } from './envelope.js';
import { HiddenSlots } from './hidden-slots.js';
import { EMPTY_ENVELOPE, type LazyMessages } from './overview.js';
import { releaseMessage } from './released-message.js';
import { type SentCount, SlotCount } from './slot-count.js';
import { buildIdentitySlotFinder, buildSlotFinder } from './slot-finder.js';
import { findPlaces, mergeByIndex } from './slot-places.js';
import {
  chooseRestated,
  copySlot,
  createSlot,
  isOfStockEntry,
  type MessageSlot,
  type PathMessage,
  readSlotTokens,
  restateSlot,
  weighSlot,
} from './slot.js';
import { SlotsByEntry } from './slots-by-entry.js';

/** A message as a provider receives it, with its source. */
export interface SentMessage {
  readonly message: LlmMessage;
  readonly from: Provenance;
}

/** A message of the list as it is weighed. */
export interface WeighedSlot {
  /** null if an edit omits it. */
  readonly message: WeighedMessage | null;
  /** The index of the entry that an edit of it would name; -1 for none. */
  readonly entry: number;
}

/** The cached messages at the current step of a replay. */
export type ReadonlyMessageList = Pick<
  MessageList,
  'countSent' | 'listProvenance' | 'listSentFrom' | 'findLastRecorded' | 'weighSent' | 'weighFrom'
>;

/** An entry that adds messages of its own. */
type Adding = Pick<PathMessage, 'head' | 'index' | 'kind'>;

/**
 * The cached messages of a path, each with its source entry, and the four ways in which entries change them: they append,
 * edit, transform and compact. Compactions only hide messages: a later one may keep earlier entries, and in Pi they
 * return then. Messages that a transform removes are gone.
 *
 * The methods that change the list come first, then those that read it. Every change ends in `refresh`, which computes
 * what is sent of a slot, and keeps the count right.
 */
export class MessageList {
  /** The slots in the order of the context, including those whose message an edit omits. */
  private slots: MessageSlot[] = [];
  private hidden = new HiddenSlots();
  private byEntry = new SlotsByEntry();
  private readonly count: SlotCount;

  /** `dualWritten`: transforms also stored as a stock compaction, by their index: heads are created on demand. */
  constructor(
    private readonly method: TokenMethod = BY_CHARACTERS,
    readonly edits = new Edits(),
    private readonly dualWritten = new Set<number>(),
  ) {
    this.count = new SlotCount(method);
  }

  /** Returns a list that continues independently from here. The messages are shared. */
  fork(): MessageList {
    const fork = new MessageList(this.method, this.edits.fork(), new Set(this.dualWritten));
    const copies = new Map(this.listAll().map((slot) => [slot, copySlot(slot)]));
    const copyOf = (slot: MessageSlot): MessageSlot => copies.get(slot) ?? copySlot(slot);
    fork.slots = this.slots.map(copyOf);
    fork.hidden = this.hidden.fork(copyOf);
    fork.byEntry = this.byEntry.fork(copyOf);
    return fork;
  }

  append(contribution: PathMessage): void {
    this.slots.push(this.addSlot(contribution));
  }

  addEdit(edit: PathEdit): void {
    this.edits.add(edit);
    const slot = this.byEntry.find(edit.edit.target, () => this.listAll());
    if (slot) this.refresh(slot);
  }

  /**
   * Lets a patch op change the list. A message equal to an earlier one keeps its source, even if a compaction
   * hid it; others belong to the transform. Messages that an edit hides are not passed to the op, and stay.
   */
  transform(
    by: Pick<PathMessage, 'head' | 'index' | 'transformer'> & { readonly compacts: boolean },
    apply: (envelope: EnvelopeContent) => EnvelopeContent,
  ): void {
    const { compacts } = by;
    const before = this.listVisible();
    const cached = this.listSent();
    const after = apply({ ...EMPTY_ENVELOPE, messages: { cached, uncached: [] } }).messages.cached;
    // A compaction keeps existing messages, and its summary is new, even if an equal message exists.
    const find = compacts
      ? buildIdentitySlotFinder(before)
      : buildSlotFinder(
          () => before,
          () => this.hidden.list(),
        );
    const found = after.map((message) => restateSlot(find(message), message));
    const places = compacts ? [] : findPlaces(before, found, by.index);
    const kind = compacts ? 'summary' : 'transform';
    const next = after.map(
      (message, at) => found[at] ?? this.addSlot({ ...by, index: places[at] ?? by.index, kind, message }),
    );
    this.replaceVisible(next, by);
  }

  /** Replaces the messages that are sent. Those that an edit omits stay, unless a compaction hides them too. */
  private replaceVisible(
    next: readonly MessageSlot[],
    { head, compacts }: { readonly head: Head; readonly compacts: boolean },
  ): void {
    const kept = new Set(next);
    const lastDropped = this.slots.findLastIndex((slot) => slot.sent !== null && !kept.has(slot));
    const omitted = this.slots.filter((slot, at) => slot.sent === null && (!compacts || at > lastDropped));
    this.hidden.remove(kept);
    if (compacts) this.hidden.add(this.slots.slice(0, lastDropped + 1), head);
    this.count.restart(this.slots);
    // The summary precedes all remaining messages, including those that an edit may restore.
    const lead = compacts ? 1 : 0;
    this.slots = [...next.slice(0, lead), ...mergeByIndex(next.slice(lead), omitted)];
  }

  /** Marks a transform that is also stored as a stock compaction, for programs without transforms. */
  markDualWritten(transform: Head): void {
    this.dualWritten.add(transform.index);
  }

  /**
   * Applies a stock compaction: its summary, or the messages that replace others, then the messages at or after `from`
   * on the path, in their current form and order. Edits before `from` are no longer selected. null keeps nothing.
   */
  compact(by: Adding, messages: readonly StoredMessage[], from: number | null): void {
    const start = from ?? by.index;
    this.edits.selectFrom(start);
    const stays = (slot: MessageSlot): boolean => slot.index >= start && !this.isStockSummary(slot);
    const returning = this.hidden.listReturning(
      start,
      (slot, hiding) => !this.isStockSummary(slot) && this.isStockCompaction(hiding),
    );

    const cut = this.slots.findIndex(stays);
    const keepsEnd = cut !== -1 && returning.length === 0 && this.slots.every((slot, at) => at < cut || stays(slot));
    const [summary, ...others] = messages;
    if (keepsEnd && summary && others.length === 0) this.replaceBeginning(cut, { ...by, message: summary });
    else {
      if (returning.length > 0) this.hidden.remove(new Set(returning));
      this.replaceAll(messages, by, mergeByIndex(this.slots.filter(stays), returning));
    }

    if (this.edits.isEmpty) return;
    for (const slot of this.slots) {
      if (slot.isEdited || this.edits.isTarget(slot.head.id)) this.refresh(slot);
    }
  }

  /** Shows the messages of a compaction, then those that it keeps. */
  private replaceAll(messages: readonly StoredMessage[], by: Adding, kept: readonly MessageSlot[]): void {
    const shown = new Set(kept);
    const gone = this.slots.filter((slot) => !shown.has(slot));
    this.hidden.add(gone, by.head);
    this.count.restart(this.slots);
    this.slots = [...messages.map((message) => this.addSlot({ ...by, message })), ...kept];
  }

  /** Most compactions do this. Without a step for each kept message, any number of them may keep all that is before. */
  private replaceBeginning(cut: number, summary: PathMessage): void {
    const slot = this.addSlot(summary);
    const gone = this.slots.splice(0, cut, slot);
    this.hidden.add(gone, summary.head);
    this.count.replaceBeginning(gone, slot);
  }

  private isStockCompaction(head: Head): boolean {
    return head.type === 'compaction' || head.type === 'reset_boundary' || this.dualWritten.has(head.index);
  }

  private isStockSummary({ kind, head }: MessageSlot): boolean {
    return (kind === 'summary' || kind === 'history') && this.isStockCompaction(head);
  }

  private addSlot(contribution: PathMessage): MessageSlot {
    const slot = createSlot(contribution);
    this.byEntry.add(slot);
    this.refresh(slot);
    return slot;
  }

  /** Computes what is sent of a slot, after its message or the edits changed. */
  private refresh(slot: MessageSlot): void {
    const { isCounted } = slot;
    if (isCounted) this.count.remove(slot);
    const message = this.edits.apply(slot, slot.message);
    slot.isEdited = message !== slot.message;
    slot.sent = chooseRestated(slot.restated, message && toLlmMessage(message));
    slot.tokens = null;
    if (isCounted) this.count.add(slot);
  }

  /** Counts the newest message and keeps only its size, if an entry added it. */
  releaseLast({ index }: Head): void {
    const slot = this.slots.at(-1);
    if (slot?.kind !== 'entry' || slot.head.index !== index) return;
    slot.size = releaseMessage(slot.message, this.method);
    slot.message = slot.size.standIn;
    this.refresh(slot);
  }

  /** Forgets hidden messages before an entry of the path. */
  forgetHidden(before: number): void {
    for (const slot of this.hidden.removeBefore(before)) this.byEntry.forget(slot);
  }

  /** The sent messages, in order. */
  listSent(): readonly LlmMessage[] {
    const messages: LlmMessage[] = [];
    for (const { sent } of this.slots) {
      if (sent !== null) messages.push(sent);
    }
    return messages;
  }

  /** The number of the sent messages, and their estimated tokens. Valid until another change. */
  countSent(): SentCount {
    return this.count.count(this.slots);
  }

  /** The source of each sent message, in order. */
  listProvenance(): readonly Provenance[] {
    return this.listVisible().map((slot) => this.edits.originOf(slot));
  }

  /** The sent messages as they are weighed, in order. */
  weighSent(): readonly WeighedMessage[] {
    return this.slots.map((slot) => weighSlot(slot, this.method)).filter((message) => message !== null);
  }

  /** The messages from a place of the list on. A place stays the same until a compaction or a transform. */
  weighFrom(start: number, end = Infinity): readonly WeighedSlot[] {
    return this.slots.slice(start, end).map((slot) => ({
      message: weighSlot(slot, this.method),
      entry: isOfStockEntry(slot) ? slot.head.index : -1,
    }));
  }

  /** The messages that were appended since `next` was returned; from 0 on all of them. Valid until another change. */
  listSentFrom(start: number): { readonly sent: readonly SentMessage[]; readonly next: number } {
    const sent = this.slots
      .slice(start)
      .flatMap((slot) => (slot.sent === null ? [] : [{ message: slot.sent, from: this.edits.originOf(slot) }]));
    return { sent, next: this.slots.length };
  }

  /** The sent messages, each created on demand; `read` reads one again that was released. */
  listOnDemand(read: (head: Head) => StoredMessage | null): LazyMessages {
    const visible = this.listVisible();
    return {
      length: visible.length,
      roleAt: (index) => visible[index]?.sent?.role,
      at: (index) => {
        const slot = visible[index];
        if (!slot?.sent) return undefined;
        const again = slot.size ? this.edits.apply(slot, read(slot.head) ?? slot.message) : null;
        const message = (again && toLlmMessage(again)) ?? slot.sent;
        return { message, from: this.edits.originOf(slot) };
      },
    };
  }

  /** The newest sent message with a recorded token count of a provider. */
  findLastRecorded(): { readonly tokens: number; readonly from: Provenance } | null {
    const slot = this.slots.findLast((each) => readSlotTokens(each) !== null);
    const tokens = slot && readSlotTokens(slot);
    return tokens ? { tokens, from: this.edits.originOf(slot) } : null;
  }

  /** The effects of the edits in force, by their target entry. */
  findEditEffects(): ReadonlyMap<RawId, 'omit' | 'replace'> {
    const effects = new Map<RawId, 'omit' | 'replace'>();
    for (const slot of this.slots) {
      if (slot.isEdited) effects.set(slot.head.id, slot.sent === null ? 'omit' : 'replace');
    }
    return effects;
  }

  private listVisible(): readonly MessageSlot[] {
    return this.slots.filter(({ sent }) => sent !== null);
  }

  private listAll(): readonly MessageSlot[] {
    return [...this.hidden.list(), ...this.slots];
  }
}
