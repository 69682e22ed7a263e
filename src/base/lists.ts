/** The sum of a number of each item. */
export function sumBy<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}

/** The sum of numbers. */
export function sumNumbers(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
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

/** The first of `length` sorted places that is past a limit, by binary search; `length` if none is. */
export function findFirstPast(length: number, isPast: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A typed array with the same values and room for as many more. */
export function doubleCapacity<Values extends Uint32Array | Float64Array>(values: Values): Values {
  const room = new (values.constructor as new (length: number) => Values)(values.length * 2);
  room.set(values);
  return room;
}
