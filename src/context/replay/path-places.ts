import type { Head } from '#session/heads/head.js';

/**
 * The places of entries on a path, which may grow. Places are noted on the first question: most paths are never asked.
 */
export class PathPlaces {
  private readonly places = new Map<number, number>();
  /** The number of entries of the path that are noted. */
  private noted = 0;

  constructor(private readonly path: readonly Head[]) {}

  /** The place of an entry, by its index in the file; -1 for one that is not on the path. */
  find(index: number): number {
    for (; this.noted < this.path.length; this.noted += 1) {
      const head = this.path[this.noted];
      // An entry that is not in the file has no index.
      if (head && head.index !== -1) this.places.set(head.index, this.noted);
    }
    return this.places.get(index) ?? -1;
  }
}
