import type { Head, RawId } from '#session/table/head.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import { type AgentMessage, toLlm } from './convert.js';
import { Edits } from './edits.js';
import { EMPTY_ENVELOPE } from './empty-envelope.js';
import type { Provenance } from './envelope.js';
import type { MessagesToLookAt } from './overview.js';
import { identicalSlot, placesTaken, slotFinderIn } from './slot-finder.js';
import {
  inWordsOf,
  type MessageSlot,
  newSlot,
  type PathEdit,
  type PathMessage,
  recordedIn,
  restated,
  sizeOnly,
  SlotCount,
  SlotsByEntry,
  tokensIn,
} from './slot.js';
import { BY_CHARACTERS, type TokenMethod } from './tokens.js';

/** A message as a provider receives it, with where it comes from. */
export interface SentMessage {
  readonly message: LlmMessage;
  readonly from: Provenance;
}

/** The cached messages as a replay has them now. */
export type SentMessages = Pick<MessageList, 'tokens' | 'provenance' | 'sentFrom' | 'lastRecorded'>;

/**
 * The cached messages of a path, each with the entry that it comes from. Compactions only set messages aside:
 * a later one may keep from further up, and in Pi they come back then. What a transform removes is gone.
 */
export class MessageList {
  private slots: MessageSlot[] = [];
  private compacted: { readonly slot: MessageSlot; readonly by: Head }[] = [];
  private readonly byEntry = new SlotsByEntry();
  readonly edits = new Edits();
  /** Transforms that also stand in the file as a stock compaction, by their index: heads are made anew. */
  private readonly dualWritten = new Set<number>();
  private readonly count: SlotCount;

  constructor(private readonly method: TokenMethod = BY_CHARACTERS) {
    this.count = new SlotCount(method);
  }

  /** The messages that are sent, in order. */
  shown(): readonly LlmMessage[] {
    const messages: LlmMessage[] = [];
    for (const { sent } of this.slots) if (sent !== null) messages.push(sent);
    return messages;
  }

  /** Estimated tokens of the messages that are sent. */
  tokens(): number {
    return this.count.of(this.slots);
  }

  provenance(): readonly Provenance[] {
    return this.visible().map((slot) => this.edits.originOf(slot));
  }

  /** The messages that were appended since `next` was given out; from 0 on all of them. Valid until something else changes. */
  sentFrom(start: number): { readonly sent: readonly SentMessage[]; readonly next: number } {
    const sent = this.slots
      .slice(start)
      .flatMap((slot) => (slot.sent === null ? [] : [{ message: slot.sent, from: this.edits.originOf(slot) }]));
    return { sent, next: this.slots.length };
  }

  /** The messages that are sent, each when somebody looks at it; `read` reads one again that was let go. */
  toLookAt(read: (head: Head) => AgentMessage | null): MessagesToLookAt {
    const visible = this.visible();
    return {
      length: visible.length,
      at: (index) => {
        const slot = visible[index];
        if (!slot?.sent) return undefined;
        const again = slot.size ? this.edits.applied(slot, read(slot.head) ?? slot.message) : null;
        const message = (again && toLlm(again)) ?? slot.sent;
        return { message, tokens: tokensIn(slot, this.method), from: this.edits.originOf(slot) };
      },
    };
  }

  /** The newest message that is sent of which a provider recorded how many tokens it took. */
  lastRecorded(): { readonly tokens: number; readonly from: Provenance } | null {
    const slot = this.slots.findLast((each) => recordedIn(each) !== null);
    const tokens = slot && recordedIn(slot);
    return tokens ? { tokens, from: this.edits.originOf(slot) } : null;
  }

  /** What the edits in force do, by the entry that they are about. */
  effects(): ReadonlyMap<RawId, 'omit' | 'replace'> {
    const effects = new Map<RawId, 'omit' | 'replace'>();
    for (const slot of this.slots)
      if (slot.isEdited) effects.set(slot.head.id, slot.sent === null ? 'omit' : 'replace');
    return effects;
  }

  append(contribution: PathMessage): void {
    this.slots.push(this.slotOf(contribution));
  }

  /** Appends a message of which only the size will be asked for: it is counted and let go. */
  appendSize({ head, index, kind, message }: PathMessage): void {
    const size = sizeOnly(message, this.method);
    const slot = this.slotOf({ head, index, kind, message: size.standIn });
    slot.size = size;
    slot.tokens = size.tokens;
    this.slots.push(slot);
  }

  addEdit(edit: PathEdit): void {
    this.edits.add(edit);
    const all = (): readonly MessageSlot[] => [...this.compacted.map(({ slot }) => slot), ...this.slots];
    const slot = this.byEntry.of(edit.edit.target, all);
    if (!slot) return;
    this.refresh(slot);
    this.count.again(slot);
  }

  /**
   * Lets a patch op change the list. A message equal to one before keeps its source, also one that a compaction
   * set aside; others belong to the transform. What an edit hides is not the op's to see, and stays.
   */
  transform(
    by: { readonly head: Head; readonly index: number; readonly compacts: boolean },
    apply: (envelope: EnvelopeContent) => EnvelopeContent,
  ): void {
    const cached = this.shown();
    const changed = apply({ ...EMPTY_ENVELOPE, messages: { cached, uncached: [] } }).messages.cached;
    // What a compaction keeps is what was there, and its summary is new, whatever it says.
    const find = by.compacts
      ? identicalSlot(this.visible())
      : slotFinderIn(
          () => this.visible(),
          () => this.compacted.map(({ slot }) => slot),
        );
    const kind = by.compacts ? 'summary' : 'transform';
    const found = changed.map((message) => restated(find(message), message));
    const places = by.compacts ? [] : placesTaken(this.visible(), found, by.index);
    const slots = changed.map(
      (message, at) => found[at] ?? this.slotOf({ ...by, index: places[at] ?? by.index, kind, message }),
    );
    const kept = new Set(slots);
    const lastDropped = this.slots.findLastIndex((slot) => slot.sent !== null && !kept.has(slot));
    const hidden = this.slots.filter((slot, at) => slot.sent === null && (!by.compacts || at > lastDropped));
    this.compacted = this.compacted.filter(({ slot }) => !kept.has(slot));
    if (by.compacts) this.putAside(this.slots.slice(0, lastDropped + 1), by.head);
    // A summary stands before all that is left, also before what an edit may bring back.
    const lead = by.compacts ? 1 : 0;
    this.slots = [...slots.slice(0, lead), ...mergeByIndex(slots.slice(lead), hidden)];
    this.count.restart();
  }

  /** The transform also stands in the file as a stock compaction, for readers without transforms. */
  markDualWritten(transform: Head): void {
    this.dualWritten.add(transform.index);
  }

  /**
   * A stock compaction: its summary, then what lies at or after `from` on the path, in its current form and order.
   * Edits above `from` are not selected any more. null keeps nothing.
   */
  compact(summary: PathMessage, from: number | null): void {
    const start = from ?? summary.index;
    this.edits.selectFrom(start);
    const stays = (slot: MessageSlot): boolean => slot.index >= start && !this.isStockSummary(slot);
    const back = this.compacted
      .filter(({ slot, by }) => stays(slot) && this.isStockCompaction(by))
      .map(({ slot }) => slot);
    const kept = mergeByIndex(this.slots.filter(stays), back);
    const keptSet = new Set(kept);
    this.compacted = this.compacted.filter(({ slot }) => !keptSet.has(slot));
    this.putAside(
      this.slots.filter((slot) => !keptSet.has(slot)),
      summary.head,
    );
    this.slots = [this.slotOf(summary), ...kept];
    for (const slot of this.slots) this.refresh(slot);
    this.count.restart();
  }

  /** Lets go of what was set aside and stands above an entry of the path, since nothing can bring it back. */
  forgetAbove(index: number): void {
    this.compacted = this.compacted.filter(({ slot }) => {
      const stays = slot.index >= index;
      if (!stays) this.byEntry.forget(slot);
      return stays;
    });
  }

  private visible(): readonly MessageSlot[] {
    return this.slots.filter(({ sent }) => sent !== null);
  }

  private slotOf({ head, index, kind, message }: PathMessage): MessageSlot {
    const slot = newSlot({ head, index, kind, message });
    this.byEntry.add(slot);
    this.refresh(slot);
    return slot;
  }

  private refresh(slot: MessageSlot): void {
    const message = this.edits.applied(slot, slot.message);
    slot.isEdited = message !== slot.message;
    slot.sent = inWordsOf(slot.restated, message && toLlm(message));
  }

  private isStockCompaction(head: Head): boolean {
    return head.type === 'compaction' || this.dualWritten.has(head.index);
  }

  private isStockSummary({ kind, head }: MessageSlot): boolean {
    return kind === 'summary' && this.isStockCompaction(head);
  }

  private putAside(slots: readonly MessageSlot[], by: Head): void {
    for (const slot of slots) this.compacted.push({ slot, by });
  }
}

interface Placed {
  readonly index: number;
}

/** Puts slots that come back before the first one of the list that lies further down on the path. */
export function mergeByIndex<Item extends Placed>(list: readonly Item[], back: readonly Item[]): Item[] {
  const waiting = back.toSorted((a, b) => a.index - b.index);
  const merged: Item[] = [];
  let at = 0;
  for (const slot of list) {
    for (let next = waiting[at]; next && next.index < slot.index; next = waiting[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(slot);
  }
  return merged.concat(waiting.slice(at));
}
