/** The value that a share of all values does not exceed, by nearest rank; null if there are none. */
export function findQuantile(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

export function sortAscending(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).toSorted();
}
