import type { Head } from '#session/heads/head.js';
import type { MessageSlot } from './slot.js';

/** A message that a compaction hid, and the entry of the compaction. */
interface HiddenSlot {
  readonly slot: MessageSlot;
  readonly by: Head;
}

/** The messages that compactions of a path hid. In Pi they return where a later compaction keeps earlier entries. */
export class HiddenSlots {
  private hidden: HiddenSlot[] = [];
  /** No hidden message has a later place on the path. So most compactions need not look at each of them. */
  private lastPlace = -1;

  /** The same messages, as the copies of their slots. */
  fork(copyOf: (slot: MessageSlot) => MessageSlot): HiddenSlots {
    const fork = new HiddenSlots();
    fork.hidden = this.hidden.map(({ slot, by }) => ({ slot: copyOf(slot), by }));
    fork.lastPlace = this.lastPlace;
    return fork;
  }

  /** `by`: the entry of the compaction. */
  add(slots: readonly MessageSlot[], by: Head): void {
    for (const slot of slots) {
      this.hidden.push({ slot, by });
      this.lastPlace = Math.max(this.lastPlace, slot.index);
    }
  }

  /** Takes out what is shown again. */
  remove(shown: ReadonlySet<MessageSlot>): void {
    this.hidden = this.hidden.filter(({ slot }) => !shown.has(slot));
  }

  /** Takes out the messages before a place of the path, and returns them. */
  removeBefore(place: number): readonly MessageSlot[] {
    const before = this.list().filter(({ index }) => index < place);
    this.hidden = this.hidden.filter(({ slot }) => slot.index >= place);
    return before;
  }

  list(): readonly MessageSlot[] {
    return this.hidden.map(({ slot }) => slot);
  }

  /** The messages from a place of the path on that compactions of some kind hid. */
  listFrom(place: number, isWanted: (compaction: Head) => boolean): readonly MessageSlot[] {
    if (place > this.lastPlace) return [];
    return this.hidden.flatMap(({ slot, by }) => (slot.index >= place && isWanted(by) ? [slot] : []));
  }
}
