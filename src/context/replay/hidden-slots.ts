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
  /** All places on the path are from here to there. So most compactions need not look at each message. */
  private firstPlace = Infinity;
  private lastPlace = -1;

  /** Hidden messages of another list, whose slots are copies. */
  fork(copyOf: (slot: MessageSlot) => MessageSlot): HiddenSlots {
    const fork = new HiddenSlots();
    fork.hidden = this.hidden.map(({ slot, by }) => ({ slot: copyOf(slot), by }));
    fork.firstPlace = this.firstPlace;
    fork.lastPlace = this.lastPlace;
    return fork;
  }

  /** `by`: the entry of the compaction. */
  add(slots: readonly MessageSlot[], by: Head): void {
    for (const slot of slots) {
      this.hidden.push({ slot, by });
      this.firstPlace = Math.min(this.firstPlace, slot.index);
      this.lastPlace = Math.max(this.lastPlace, slot.index);
    }
  }

  /** Takes out what is shown again. */
  remove(shown: ReadonlySet<MessageSlot>): void {
    this.hidden = this.hidden.filter(({ slot }) => !shown.has(slot));
  }

  /** Takes out the messages before a place of the path, and returns them. */
  removeBefore(place: number): readonly MessageSlot[] {
    if (place <= this.firstPlace) return [];
    const before: MessageSlot[] = [];
    const rest: HiddenSlot[] = [];
    for (const hidden of this.hidden) {
      if (hidden.slot.index < place) before.push(hidden.slot);
      else rest.push(hidden);
    }
    this.hidden = rest;
    this.firstPlace = place;
    return before;
  }

  list(): readonly MessageSlot[] {
    return this.hidden.map(({ slot }) => slot);
  }

  /** The messages from a place of the path on that may return. `by`: the entry of the compaction that hid one. */
  listReturning(place: number, mayReturn: (slot: MessageSlot, by: Head) => boolean): readonly MessageSlot[] {
    if (place > this.lastPlace) return [];
    // Most are summaries, which never return: they are passed before anything is created for them.
    const returning = this.hidden.filter(({ slot, by }) => slot.index >= place && mayReturn(slot, by));
    return returning.map(({ slot }) => slot);
  }
}
