import type { TokenMethod } from '../size/tokens.js';
import { countSlotTokens, type MessageSlot } from './slot.js';

/** The number of the sent messages of a list, and their estimated tokens. */
export interface SentCount {
  readonly sent: number;
  readonly tokens: number;
}

/** Counts the sent messages of a list of slots: only slots appended since the last count are counted. */
export class SlotCount {
  /** The number of slots from the start of the list that the sums include. */
  private slots = 0;
  private sums = { sent: 0, tokens: 0 };

  constructor(private readonly method: TokenMethod) {}

  /** Valid until another change of the list. */
  count(slots: readonly MessageSlot[]): SentCount {
    for (const slot of slots.slice(this.slots)) this.add(slot);
    this.slots = slots.length;
    return this.sums;
  }

  /** Counts a list that begins with another slot in place of these. */
  replaceBeginning(gone: readonly MessageSlot[], slot: MessageSlot): void {
    if (this.slots < gone.length) return this.restart(gone);
    for (const each of gone) this.remove(each);
    this.add(slot);
    this.slots += 1 - gone.length;
  }

  /** Starts over with a new list. `before`: the slots of the old one. */
  restart(before: readonly MessageSlot[]): void {
    for (const slot of before) slot.isCounted = false;
    this.slots = 0;
    this.sums = { sent: 0, tokens: 0 };
  }

  add(slot: MessageSlot): void {
    slot.isCounted = true;
    this.addToSums(slot, 1);
  }

  /** Takes out a counted slot, which `add` counts again once it has changed. */
  remove(slot: MessageSlot): void {
    slot.isCounted = false;
    this.addToSums(slot, -1);
  }

  private addToSums(slot: MessageSlot, sign: 1 | -1): void {
    this.sums.tokens += sign * countSlotTokens(slot, this.method);
    if (slot.sent !== null) this.sums.sent += sign;
  }
}
