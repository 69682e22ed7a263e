/** Dropped items that are kept in memory before the others are moved. */
const MOST_DROPPED = 1000;

interface SizedItem<Item> {
  readonly item: Item;
  /** The number of characters. */
  readonly size: number;
}

/** The items of a list that fit into a number of characters: its first ones, or its last ones. */
export class FittingItems<Item> {
  /** The number of items that made room for later ones. */
  leftOut = 0;
  private kept: SizedItem<Item>[] = [];
  /** The place of the first item in `kept` that was not dropped. */
  private start = 0;

  /** `left`: the characters that are left for items. `least`: the number of items that are kept even if they do not fit. */
  constructor(
    private left: number,
    private readonly isEndKept: boolean,
    private readonly least = 0,
  ) {}

  /** Takes the next item. false: it does not fit, and the list ends before it. */
  add(item: Item, size: number): boolean {
    this.left -= size;
    if (this.left < 0 && !this.isEndKept && this.kept.length >= this.least) return false;
    this.kept.push({ item, size });
    while (this.left < 0 && this.kept.length - this.start > this.least) this.drop();
    return true;
  }

  /** The items that fit, in their order. */
  list(): readonly Item[] {
    return this.kept.slice(this.start).map(({ item }) => item);
  }

  private drop(): void {
    this.left += this.kept[this.start]?.size ?? 0;
    this.start += 1;
    this.leftOut += 1;
    if (this.start <= MOST_DROPPED || this.start * 2 < this.kept.length) return;
    this.kept = this.kept.slice(this.start);
    this.start = 0;
  }
}
