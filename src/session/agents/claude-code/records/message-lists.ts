/** The list without messages. */
export const NO_MESSAGES = 0;

/** A hash of a message is less than this: it is the number of a text. */
const MOST_HASHES = 2 ** 28;

/**
 * The lists of messages that requests send, by their hashes. A list is a number. It is another list with one more
 * message, since a request mostly repeats the one before it; equal lists are one number.
 */
export class MessageLists {
  /** Each list without its last message. */
  private readonly befores: number[] = [NO_MESSAGES];
  /** The last message of each list. */
  private readonly lasts: number[] = [0];
  private readonly lengths: number[] = [0];
  /** A beginning of each list that is much shorter, to which a search jumps. */
  private readonly jumps: number[] = [NO_MESSAGES];
  /** The list that is longer by a message, by the list and that message. */
  private readonly longer = new Map<number, number>();

  /** The number of its messages. */
  lengthOf(list: number): number {
    return this.lengths[list] ?? 0;
  }

  /** The list with one more message. */
  append(list: number, hash: number): number {
    const key = list * MOST_HASHES + hash;
    const existing = this.longer.get(key);
    if (existing !== undefined) return existing;
    const { jumps, lengths } = this;
    const added = this.lasts.push(hash) - 1;
    this.befores.push(list);
    lengths.push(this.lengthOf(list) + 1);
    const far = jumps[list] ?? NO_MESSAGES;
    const farther = jumps[far] ?? NO_MESSAGES;
    // As in a skew-binary number, two jumps of one length become one: any beginning is found in logarithmic time.
    jumps.push(
      this.lengthOf(list) - this.lengthOf(far) === this.lengthOf(far) - this.lengthOf(farther) ? farther : list,
    );
    this.longer.set(key, added);
    return added;
  }

  appendAll(list: number, hashes: readonly number[]): number {
    return hashes.reduce((longer, hash) => this.append(longer, hash), list);
  }

  /** The list of its first messages. */
  beginningOf(list: number, length: number): number {
    let at = list;
    while (this.lengthOf(at) > length) {
      const far = this.jumps[at] ?? NO_MESSAGES;
      at = this.lengthOf(far) >= length ? far : (this.befores[at] ?? NO_MESSAGES);
    }
    return at;
  }

  /** Its messages from a place on. */
  itemsFrom(list: number, start: number): readonly number[] {
    const hashes: number[] = [];
    for (let at = list; this.lengthOf(at) > start; at = this.befores[at] ?? NO_MESSAGES)
      hashes.push(this.lasts[at] ?? 0);
    return hashes.toReversed();
  }
}
