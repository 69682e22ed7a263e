/** The value that a share of all values does not exceed, by nearest rank; null where there are none. */
export function quantile(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

export function ascending(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).toSorted();
}
