/**
 * The sums of the first numbers of a list that grows and changes. A Fenwick tree: a sum takes a step for each binary
 * digit of the list's length.
 */
export class PrefixSums {
  /** Each has the sum of as many numbers as the lowest binary digit of its place, counted from 1. */
  private readonly tree: number[] = [0];

  get length(): number {
    return this.tree.length - 1;
  }

  push(value: number): void {
    const place = this.tree.length;
    let sum = value;
    for (let at = place - 1; at > place - (place & -place); at -= at & -at) sum += this.tree[at] ?? 0;
    this.tree.push(sum);
  }

  /** Adds to the number at a place, counted from 0. */
  add(at: number, value: number): void {
    for (let place = at + 1; place < this.tree.length; place += place & -place)
      this.tree[place] = (this.tree[place] ?? 0) + value;
  }

  /** The most numbers from the beginning whose sum is within a limit, and the rest of the limit after them. */
  findWithin(limit: number): { readonly count: number; readonly rest: number } {
    let count = 0;
    let rest = limit;
    for (let step = 2 ** Math.floor(Math.log2(this.tree.length)); step >= 1; step /= 2) {
      const value = this.tree[count + step];
      if (value === undefined || value > rest) continue;
      count += step;
      rest -= value;
    }
    return { count, rest };
  }
}
