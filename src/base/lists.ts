/** Adds an item to the list of its key. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = lists.get(key);
  if (known) known.push(item);
  else lists.set(key, [item]);
}

/** Adds to the count of a key, which begins at 0, and returns it. */
export function countUp<Key>(counts: Map<Key, number>, key: Key, by = 1): number {
  const count = (counts.get(key) ?? 0) + by;
  counts.set(key, count);
  return count;
}

/** The sum of a number of each item. */
export function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/** Whether a list begins with the very items of another one. */
export function beginsWith<Item>(list: readonly Item[], beginning: readonly Item[]): boolean {
  let at = 0;
  while (at < beginning.length && at < list.length && list[at] === beginning[at]) at += 1;
  return at === beginning.length;
}

/** The first of `length` sorted places that is past a limit, by binary search; `length` if none is. */
export function firstPast(length: number, isPast: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
