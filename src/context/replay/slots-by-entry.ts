import type { RawId } from '#session/heads/head.js';
import { isOfStockEntry, type MessageSlot } from './slot.js';

/** The slots that edits can name, by entry: created at the first edit, since most sessions have none. */
export class SlotsByEntry {
  constructor(private slots: Map<RawId, MessageSlot> | null = null) {}

  /** Slots by entry for the copies of these slots. */
  fork(copyOf: (slot: MessageSlot) => MessageSlot): SlotsByEntry {
    const { slots } = this;
    return new SlotsByEntry(slots && new Map([...slots].map(([id, slot]) => [id, copyOf(slot)])));
  }

  /** The slot of an entry; `all` returns the slots so far. */
  find(id: RawId, all: () => readonly MessageSlot[]): MessageSlot | undefined {
    this.slots ??= new Map(
      all()
        .filter(isOfStockEntry)
        .map((slot) => [slot.head.id, slot]),
    );
    return this.slots.get(id);
  }

  add(slot: MessageSlot): void {
    if (isOfStockEntry(slot)) this.slots?.set(slot.head.id, slot);
  }

  forget(slot: MessageSlot): void {
    if (this.slots?.get(slot.head.id) === slot) this.slots.delete(slot.head.id);
  }
}
