/** The list without items. */
export const EMPTY = 0;

const MOST_NUMBERS = 2 ** 28;

/** Lists of numbers, each one item longer than the list before it. Equal lists have one number. */
export class Lists {
  private readonly befores: number[] = [EMPTY];
  private readonly items: number[] = [0];
  private readonly depths: number[] = [0];
  /** A list far before each one, to which a search jumps. */
  private readonly jumps: number[] = [EMPTY];
  private readonly longer = new Map<number, number>();

  /** The number of its items. */
  depth(list: number): number {
    return this.depths[list] ?? 0;
  }

  with(list: number, item: number): number {
    const key = list * MOST_NUMBERS + item;
    const existing = this.longer.get(key);
    if (existing !== undefined) return existing;
    const { jumps, depths } = this;
    const added = this.items.push(item) - 1;
    this.befores.push(list);
    depths.push(this.depth(list) + 1);
    const far = jumps[list] ?? EMPTY;
    const farther = jumps[far] ?? EMPTY;
    // As in a skew-binary number: any beginning is found in logarithmic time.
    jumps.push(this.depth(list) - this.depth(far) === this.depth(far) - this.depth(farther) ? farther : list);
    this.longer.set(key, added);
    return added;
  }

  extended(list: number, items: readonly number[]): number {
    return items.reduce((longer, item) => this.with(longer, item), list);
  }

  /** The list of its first items. */
  beginning(list: number, length: number): number {
    let at = list;
    while (this.depth(at) > length) {
      const far = this.jumps[at] ?? EMPTY;
      at = this.depth(far) >= length ? far : (this.befores[at] ?? EMPTY);
    }
    return at;
  }

  /** Its items from a place on. */
  after(list: number, start: number): readonly number[] {
    const items: number[] = [];
    for (let at = list; this.depth(at) > start; at = this.befores[at] ?? EMPTY) items.push(this.items[at] ?? 0);
    return items.toReversed();
  }
}
