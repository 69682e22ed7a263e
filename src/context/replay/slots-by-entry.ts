import type { RawId } from '#session/table/head.js';
import { isOfStockEntry, type Slot } from './slot.js';

/** The slots that edits can name, by their entries: put down when the first edit comes, as most sessions have none. */
export class SlotsByEntry {
  private known: Map<RawId, Slot> | null = null;

  /** What an entry brought in; `all` gives the slots that there are so far. */
  of(id: RawId, all: () => readonly Slot[]): Slot | undefined {
    this.known ??= new Map(
      all()
        .filter(isOfStockEntry)
        .map((slot) => [slot.head.id, slot]),
    );
    return this.known.get(id);
  }

  add(slot: Slot): void {
    if (isOfStockEntry(slot)) this.known?.set(slot.head.id, slot);
  }

  forget(slot: Slot): void {
    if (this.known?.get(slot.head.id) === slot) this.known.delete(slot.head.id);
  }
}
