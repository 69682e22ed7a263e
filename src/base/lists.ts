/** Adds an item to the list of its key. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = lists.get(key);
  if (known) known.push(item);
  else lists.set(key, [item]);
}

/** Adds to the count of a key, which begins at 0, and returns it. */
export function incrementCount<Key>(counts: Map<Key, number>, key: Key, by = 1): number {
  const count = (counts.get(key) ?? 0) + by;
  counts.set(key, count);
  return count;
}

/** The sum of a number of each item. */
export function sumBy<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/** Items in the falling order of their sizes; equal ones stay in order. */
export function sortLargestFirst<Item>(items: readonly Item[], sizeOf: (item: Item) => number): readonly Item[] {
  const sized = items.map((item) => ({ item, size: sizeOf(item) }));
  return sized.toSorted((a, b) => b.size - a.size).map(({ item }) => item);
}

/** Whether a list begins with the very items of another one. */
export function beginsWith<Item>(list: readonly Item[], beginning: readonly Item[]): boolean {
  return countCommon(list, beginning) === beginning.length;
}

/** The number of items with which both lists begin. */
export function countCommon<Item>(one: ArrayLike<Item>, other: ArrayLike<Item>): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

/** Folds lists that mostly begin like the one before: only the items after the common beginning are taken. */
export class GrowingFold<Item, State> {
  private readonly items: Item[] = [];
  private readonly states: State[] = [];

  /** `next`: the state after an item; `before` is undefined at the first one. */
  constructor(private readonly next: (before: State | undefined, item: Item) => State) {}

  /** The state after the last item; undefined for an empty list. */
  of(list: readonly Item[]): State | undefined {
    const { items, states } = this;
    const same = countCommon(list, items);
    items.length = same;
    states.length = same;
    for (const item of list.slice(same)) {
      items.push(item);
      states.push(this.next(states.at(-1), item));
    }
    return states.at(-1);
  }
}

/** The first of `length` sorted places that is past a limit, by binary search; `length` if none is. */
export function findFirstPast(length: number, isPast: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Whole numbers in proportion to `weights` that add up to `total`, by default their sum rounded up: each is rounded down,
 * and those with the largest remainders, the first of equal ones, get what is left. All are 0 if no weight is above 0.
 */
export function splitInProportion(
  weights: readonly number[],
  total = Math.ceil(weights.reduce((sum, each) => sum + each, 0)),
): readonly number[] {
  const all = weights.reduce((sum, each) => sum + each, 0);
  if (all <= 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (weight / all) * total);
  const rounded = exact.map(Math.floor);
  const left = total - rounded.reduce((sum, each) => sum + each, 0);
  if (left <= 0) return rounded;
  const remainderOf = (at: number): number => (exact[at] ?? 0) - (rounded[at] ?? 0);
  const byRemainder = [...exact.keys()].toSorted((a, b) => remainderOf(b) - remainderOf(a));
  for (const at of byRemainder.slice(0, left)) rounded[at] = (rounded[at] ?? 0) + 1;
  return rounded;
}
