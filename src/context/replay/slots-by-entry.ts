import type { RawId } from '#session/table/head.js';
import { isOfStockEntry, type MessageSlot } from './slot.js';

/** The slots that edits can name, by their entries: put down when the first edit comes, as most sessions have none. */
export class SlotsByEntry {
  private known: Map<RawId, MessageSlot> | null = null;

  /** What an entry brought in; `all` gives the slots that there are so far. */
  of(id: RawId, all: () => readonly MessageSlot[]): MessageSlot | undefined {
    this.known ??= new Map(
      all()
        .filter(isOfStockEntry)
        .map((slot) => [slot.head.id, slot]),
    );
    return this.known.get(id);
  }

  add(slot: MessageSlot): void {
    if (isOfStockEntry(slot)) this.known?.set(slot.head.id, slot);
  }

  forget(slot: MessageSlot): void {
    if (this.known?.get(slot.head.id) === slot) this.known.delete(slot.head.id);
  }
}
