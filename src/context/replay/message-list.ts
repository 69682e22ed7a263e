import type { StoredMessage } from '#session/entry.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { WeighedMessage } from '../size/composition.js';
import { BY_CHARACTERS, type TokenMethod } from '../size/tokens.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import { toLlmMessage } from './convert.js';
import { Edits, type PathEdit } from './edits.js';
import type { Provenance } from './envelope.js';
import { EMPTY_ENVELOPE, type LazyMessages } from './overview.js';
import { releaseMessage } from './released-message.js';
import { SlotCount } from './slot-count.js';
import { buildIdentitySlotFinder, buildSlotFinder, findPlaces, mergeByIndex } from './slot-finder.js';
import {
  chooseRestated,
  copySlot,
  type MessageSlot,
  newSlot,
  type PathMessage,
  recordedTokensOfSlot,
  restateSlot,
  weighSlot,
} from './slot.js';
import { SlotsByEntry } from './slots-by-entry.js';

/** A message as a provider receives it, with its source. */
export interface SentMessage {
  readonly message: LlmMessage;
  readonly from: Provenance;
}

/** The cached messages at the current step of a replay. */
export type ReadonlyMessageList = Pick<MessageList, 'counted' | 'provenance' | 'sentFrom' | 'lastRecorded' | 'weighed'>;

/**
 * The cached messages of a path, each with its source entry. Compactions only hide messages:
 * a later one may keep earlier entries, and in Pi they return then. Messages that a transform removes are gone.
 */
export class MessageList {
  private slots: MessageSlot[] = [];
  private compacted: { readonly slot: MessageSlot; readonly by: Head }[] = [];
  private byEntry = new SlotsByEntry();
  private readonly count: SlotCount;
  /** The sent messages of the first `listed` slots, until one of them changes. */
  private list: LlmMessage[] = [];
  private listed = 0;

  /** `dualWritten`: transforms also stored as a stock compaction, by their index: heads are created on demand. */
  constructor(
    private readonly method: TokenMethod = BY_CHARACTERS,
    readonly edits = new Edits(),
    private readonly dualWritten = new Set<number>(),
  ) {
    this.count = new SlotCount(method);
  }

  /** A list that goes on from here by itself. The messages are shared. */
  forked(): MessageList {
    const fork = new MessageList(this.method, this.edits.forked(), new Set(this.dualWritten));
    const copies = new Map(this.all().map((slot) => [slot, copySlot(slot)]));
    const copyOf = (slot: MessageSlot): MessageSlot => copies.get(slot) ?? copySlot(slot);
    fork.slots = this.slots.map(copyOf);
    fork.compacted = this.compacted.map(({ slot, by }) => ({ slot: copyOf(slot), by }));
    fork.byEntry = this.byEntry.forked(copyOf);
    return fork;
  }

  /** The sent messages, in order. */
  shown(): readonly LlmMessage[] {
    for (; this.listed < this.slots.length; this.listed += 1) {
      const sent = this.slots[this.listed]?.sent ?? null;
      if (sent !== null) this.list.push(sent);
    }
    return this.list.slice();
  }

  /** The number of the sent messages, and their estimated tokens. Valid until another change. */
  counted(): ReturnType<SlotCount['of']> {
    return this.count.of(this.slots);
  }

  provenance(): readonly Provenance[] {
    return this.visible().map((slot) => this.edits.originOf(slot));
  }

  /** The sent messages as they are weighed, in order. */
  weighed(): readonly WeighedMessage[] {
    return this.visible().flatMap((slot) => weighSlot(slot, this.edits.originOf(slot), this.method) ?? []);
  }

  /** The messages that were appended since `next` was returned; from 0 on all of them. Valid until another change. */
  sentFrom(start: number): { readonly sent: readonly SentMessage[]; readonly next: number } {
    const sent = this.slots
      .slice(start)
      .flatMap((slot) => (slot.sent === null ? [] : [{ message: slot.sent, from: this.edits.originOf(slot) }]));
    return { sent, next: this.slots.length };
  }

  /** The sent messages, each created on demand; `read` reads one again that was released. */
  toLookAt(read: (head: Head) => StoredMessage | null): LazyMessages {
    const visible = this.visible();
    return {
      length: visible.length,
      roleAt: (index) => visible[index]?.sent?.role,
      at: (index) => {
        const slot = visible[index];
        if (!slot?.sent) return undefined;
        const again = slot.size ? this.edits.applied(slot, read(slot.head) ?? slot.message) : null;
        const message = (again && toLlmMessage(again)) ?? slot.sent;
        return { message, from: this.edits.originOf(slot) };
      },
    };
  }

  /** The newest sent message with a recorded token count of a provider. */
  lastRecorded(): { readonly tokens: number; readonly from: Provenance } | null {
    const slot = this.slots.findLast((each) => recordedTokensOfSlot(each) !== null);
    const tokens = slot && recordedTokensOfSlot(slot);
    return tokens ? { tokens, from: this.edits.originOf(slot) } : null;
  }

  /** The effects of the edits in force, by their target entry. */
  effects(): ReadonlyMap<RawId, 'omit' | 'replace'> {
    const effects = new Map<RawId, 'omit' | 'replace'>();
    for (const slot of this.slots)
      if (slot.isEdited) effects.set(slot.head.id, slot.sent === null ? 'omit' : 'replace');
    return effects;
  }

  append(contribution: PathMessage): void {
    this.slots.push(this.slotOf(contribution));
  }

  /** Appends a message of which only the size is needed: it is counted and released. */
  appendSize({ head, index, kind, message }: PathMessage): void {
    const size = releaseMessage(message, this.method);
    const slot = this.slotOf({ head, index, kind, message: size.standIn });
    slot.size = size;
    slot.tokens = size.tokens;
    this.slots.push(slot);
  }

  addEdit(edit: PathEdit): void {
    this.edits.add(edit);
    const slot = this.byEntry.of(edit.edit.target, () => this.all());
    if (!slot) return;
    this.refresh(slot);
    this.relist();
    this.count.again(slot);
  }

  /**
   * Lets a patch op change the list. A message equal to an earlier one keeps its source, even if a compaction
   * hid it; others belong to the transform. Messages that an edit hides are not passed to the op, and stay.
   */
  transform(
    by: Pick<PathMessage, 'head' | 'index' | 'transformer'> & { readonly compacts: boolean },
    apply: (envelope: EnvelopeContent) => EnvelopeContent,
  ): void {
    const cached = this.shown();
    const changed = apply({ ...EMPTY_ENVELOPE, messages: { cached, uncached: [] } }).messages.cached;
    // A compaction keeps existing messages, and its summary is new, even if an equal message exists.
    const find = by.compacts
      ? buildIdentitySlotFinder(this.visible())
      : buildSlotFinder(
          () => this.visible(),
          () => this.compacted.map(({ slot }) => slot),
        );
    const kind = by.compacts ? 'summary' : 'transform';
    const found = changed.map((message) => restateSlot(find(message), message));
    const places = by.compacts ? [] : findPlaces(this.visible(), found, by.index);
    const slots = changed.map(
      (message, at) => found[at] ?? this.slotOf({ ...by, index: places[at] ?? by.index, kind, message }),
    );
    const kept = new Set(slots);
    const lastDropped = this.slots.findLastIndex((slot) => slot.sent !== null && !kept.has(slot));
    const hidden = this.slots.filter((slot, at) => slot.sent === null && (!by.compacts || at > lastDropped));
    this.compacted = this.compacted.filter(({ slot }) => !kept.has(slot));
    if (by.compacts) this.putAside(this.slots.slice(0, lastDropped + 1), by.head);
    // The summary precedes all remaining messages, including those that an edit may restore.
    const lead = by.compacts ? 1 : 0;
    this.slots = [...slots.slice(0, lead), ...mergeByIndex(slots.slice(lead), hidden)];
    this.relist();
    this.count.restart();
  }

  /** Marks a transform that is also stored as a stock compaction, for programs without transforms. */
  markDualWritten(transform: Head): void {
    this.dualWritten.add(transform.index);
  }

  /**
   * Applies a stock compaction: its summary, or the messages that replace others, then the messages at or after `from` on
   * the path, in their current form and order. Edits before `from` are no longer selected. null keeps nothing.
   */
  compact(
    by: Pick<PathMessage, 'head' | 'index' | 'kind'>,
    messages: readonly StoredMessage[],
    from: number | null,
  ): void {
    const start = from ?? by.index;
    this.edits.selectFrom(start);
    const stays = (slot: MessageSlot): boolean => slot.index >= start && !this.isStockSummary(slot);
    const back = this.compacted
      .filter((hidden) => stays(hidden.slot) && this.isStockCompaction(hidden.by))
      .map(({ slot }) => slot);
    const cut = this.slots.findIndex(stays);
    const dropsBeginning = cut !== -1 && back.length === 0 && this.slots.every((slot, at) => at < cut || stays(slot));
    const [summary, ...others] = messages;
    if (dropsBeginning && summary && others.length === 0) this.replaceBeginning(cut, { ...by, message: summary });
    else this.keepThese(mergeByIndex(this.slots.filter(stays), back), by, messages);
    if (this.edits.isEmpty) return;
    for (const slot of this.slots) {
      if (!slot.isEdited && !this.edits.isTarget(slot.head.id)) continue;
      this.refresh(slot);
      this.count.again(slot);
    }
  }

  /** Most compactions do this. Without a step for each kept message, any number of them may keep all that is before. */
  private replaceBeginning(cut: number, summary: PathMessage): void {
    const slot = this.slotOf(summary);
    const gone = this.slots.splice(0, cut, slot);
    this.putAside(gone, summary.head);
    this.relist();
    this.count.replaceBeginning(gone, slot);
  }

  private keepThese(
    kept: readonly MessageSlot[],
    by: Pick<PathMessage, 'head' | 'index' | 'kind'>,
    messages: readonly StoredMessage[],
  ): void {
    const keptSet = new Set(kept);
    this.compacted = this.compacted.filter(({ slot }) => !keptSet.has(slot));
    const gone = this.slots.filter((slot) => !keptSet.has(slot));
    this.putAside(gone, by.head);
    this.slots = [...messages.map((message) => this.slotOf({ ...by, message })), ...kept];
    this.relist();
    this.count.restart();
  }

  /** Releases hidden messages before an entry of the path, which cannot return. */
  forgetAbove(index: number): void {
    for (const { slot } of this.compacted) if (slot.index < index) this.byEntry.forget(slot);
    this.compacted = this.compacted.filter(({ slot }) => slot.index >= index);
  }

  private relist(): void {
    this.list = [];
    this.listed = 0;
  }

  private all(): readonly MessageSlot[] {
    return [...this.compacted.map(({ slot }) => slot), ...this.slots];
  }

  private visible(): readonly MessageSlot[] {
    return this.slots.filter(({ sent }) => sent !== null);
  }

  private slotOf(contribution: PathMessage): MessageSlot {
    const slot = newSlot(contribution);
    this.byEntry.add(slot);
    this.refresh(slot);
    return slot;
  }

  private refresh(slot: MessageSlot): void {
    const message = this.edits.applied(slot, slot.message);
    slot.isEdited = message !== slot.message;
    slot.sent = chooseRestated(slot.restated, message && toLlmMessage(message));
  }

  private isStockCompaction(head: Head): boolean {
    return head.type === 'compaction' || head.type === 'reset_boundary' || this.dualWritten.has(head.index);
  }

  private isStockSummary({ kind, head }: MessageSlot): boolean {
    return (kind === 'summary' || kind === 'history') && this.isStockCompaction(head);
  }

  private putAside(slots: readonly MessageSlot[], by: Head): void {
    for (const slot of slots) this.compacted.push({ slot, by });
  }
}
