import type { MessagePool } from './message-pool.js';

/** The difference between a list and the previous one: the number of shared messages at the start, and the messages after them. */
export interface Patch {
  readonly keep: number;
  /** Runs of consecutive messages: first number, count, first number, and so on. */
  readonly ranges: readonly number[];
}

/** The message list of successive requests, with its token sum. */
export class GrowingList {
  readonly sums: Float64Array;
  private readonly list: number[] = [];
  /** The number of messages unchanged since the last patch, and the old messages after them. */
  private keep = 0;
  private behind: number[] = [];

  constructor(
    private readonly pool: MessagePool,
    categories: number,
  ) {
    this.sums = new Float64Array(categories);
  }

  get length(): number {
    return this.list.length;
  }

  append(number: number): void {
    this.list.push(number);
    this.pool.addTokens(this.sums, number, 1);
  }

  cutTo(length: number): void {
    if (length >= this.list.length) return;
    for (const number of this.list.slice(length)) this.pool.addTokens(this.sums, number, -1);
    if (length < this.keep) {
      this.behind = [...this.list.slice(length, this.keep), ...this.behind];
      this.keep = length;
    }
    this.list.length = length;
  }

  /** The last position of a message; -1 for none. */
  lastPlace(isWanted: (number: number) => boolean): number {
    return this.list.findLastIndex(isWanted);
  }

  /** The changes since the previous call. */
  patch(): Patch {
    let same = 0;
    while (same < this.behind.length && this.behind[same] === this.list[this.keep + same]) same += 1;
    const keep = this.keep + same;
    const ranges = rangesOf(this.list.slice(keep));
    this.keep = this.list.length;
    this.behind = [];
    return { keep, ranges };
  }
}

/** Runs of consecutive numbers: first, count, first, and so on. */
export function rangesOf(numbers: readonly number[]): readonly number[] {
  const ranges: number[] = [];
  for (const number of numbers) {
    const last = ranges.length - 2;
    const [start = 0, count = 0] = [ranges[last], ranges[last + 1]];
    if (last >= 0 && start + count === number) ranges[last + 1] = count + 1;
    else ranges.push(number, 1);
  }
  return ranges;
}
