import { type MessageSlot, tokensIn } from './slot.js';
import type { TokenMethod } from './tokens.js';

/** The tokens of a list of slots: only what was appended since the last count has to be counted. */
export class SlotCount {
  private counted = { slots: 0, tokens: 0 };
  /** The list was counted anew so many times. */
  private round = 0;

  constructor(private readonly method: TokenMethod) {}

  /** Estimated tokens of the messages that are sent. */
  of(slots: readonly MessageSlot[]): number {
    let { tokens } = this.counted;
    for (let at = this.counted.slots; at < slots.length; at += 1) {
      const slot = slots[at];
      if (!slot) continue;
      slot.count = { round: this.round, tokens: tokensIn(slot, this.method) };
      tokens += slot.count.tokens;
    }
    this.counted = { slots: slots.length, tokens };
    return tokens;
  }

  /** Counts a slot of the list again, whose message has changed. */
  again(slot: MessageSlot): void {
    if (slot.count.round !== this.round) return;
    const tokens = tokensIn(slot, this.method);
    this.counted.tokens += tokens - slot.count.tokens;
    slot.count.tokens = tokens;
  }

  /** The list is another one. */
  restart(): void {
    this.counted = { slots: 0, tokens: 0 };
    this.round += 1;
  }
}
