import type { TokenMethod } from '../size/tokens.js';
import { countSlotTokens, type MessageSlot, NOT_COUNTED } from './slot.js';

/** The sent messages of a list of slots, and their tokens: only slots appended since the last count are counted. */
export class SlotCount {
  private counted = { slots: 0, tokens: 0, sent: 0 };
  /** The number of complete recounts of the list. */
  private round = 0;

  constructor(private readonly method: TokenMethod) {}

  /** The number of the sent messages, and their estimated tokens. */
  count(slots: readonly MessageSlot[]): Readonly<Record<'tokens' | 'sent', number>> {
    for (; this.counted.slots < slots.length; this.counted.slots += 1) {
      const slot = slots[this.counted.slots];
      if (slot) this.add(slot);
    }
    return this.counted;
  }

  /** Counts a slot again after its message changed, if it is counted. */
  recount(slot: MessageSlot): void {
    if (slot.count.round !== this.round) return;
    this.counted.tokens -= slot.count.tokens;
    this.counted.sent -= slot.count.sent;
    this.add(slot);
  }

  /** Counts a list that begins with another slot in place of these. */
  replaceBeginning(gone: readonly MessageSlot[], slot: MessageSlot): void {
    if (this.counted.slots < gone.length) return this.restart();
    for (const each of gone) {
      this.counted.tokens -= each.count.tokens;
      this.counted.sent -= each.count.sent;
      each.count = NOT_COUNTED;
    }
    this.add(slot);
    this.counted.slots += 1 - gone.length;
  }

  /** Starts over with a new list. */
  restart(): void {
    this.counted = { slots: 0, tokens: 0, sent: 0 };
    this.round += 1;
  }

  private add(slot: MessageSlot): void {
    slot.count = { round: this.round, tokens: countSlotTokens(slot, this.method), sent: slot.sent === null ? 0 : 1 };
    this.counted.tokens += slot.count.tokens;
    this.counted.sent += slot.count.sent;
  }
}
