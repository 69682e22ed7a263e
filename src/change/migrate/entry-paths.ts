import type { Heads } from '#session/heads/heads.js';
import type { Session } from '#session/session.js';

/** The paths to some entries as a tree, for a walk that visits each entry once. */
export class EntryPaths {
  /** The number of entries from the root, by the index of an entry; 0 for one that is on no path. */
  private readonly depths: Uint32Array;
  /** The number of entries of the paths from an entry on. */
  private readonly sizes: Uint32Array;
  /** The first place of the path whose messages may return after an entry. */
  private readonly returning: Uint32Array;
  /** The first of the entries below another, and the next one below the same. The last row is for the roots. */
  private readonly first: Int32Array;
  private readonly sibling: Int32Array;

  constructor({ tree: { heads } }: Session, ends: Iterable<number>) {
    const rows = heads.length + 1;
    this.depths = new Uint32Array(rows);
    this.sizes = new Uint32Array(rows);
    this.first = new Int32Array(rows).fill(-1);
    this.sibling = new Int32Array(rows).fill(-1);
    this.returning = new Uint32Array(rows).fill(NOTHING_RETURNS);
    for (const index of this.listParentsFirst(heads, ends).toReversed()) this.link(heads, index);
  }

  /** The entries below another, the largest branch first; -1: the roots. */
  childrenOf(index: number): number[] {
    const found: number[] = [];
    for (let at = this.first.at(index) ?? -1; at !== -1; at = this.sibling[at] ?? -1) found.push(at);
    return found.toSorted((a, b) => (this.sizes[b] ?? 0) - (this.sizes[a] ?? 0));
  }

  /** The first place of the path whose messages may return after an entry. */
  firstReturning(index: number): number {
    return this.returning[index] ?? 0;
  }

  private listParentsFirst(heads: Heads, ends: Iterable<number>): readonly number[] {
    const { depths } = this;
    const order: number[] = [];
    for (const end of ends) {
      const path: number[] = [];
      let at = end;
      for (; at !== -1 && depths[at] === 0; at = heads.parentAt(at)) path.push(at);
      let depth = at === -1 ? 0 : (depths[at] ?? 0);
      for (const index of path.toReversed()) {
        depth += 1;
        depths[index] = depth;
        order.push(index);
      }
    }
    return order;
  }

  private link(heads: Heads, index: number): void {
    const { first, sibling, sizes, returning } = this;
    const parent = heads.parentAt(index);
    const row = parent === -1 ? heads.length : parent;
    sibling[index] = first[row] ?? -1;
    first[row] = index;
    sizes[row] = (sizes[row] ?? 0) + (sizes[index] ?? 0) + 1;
    returning[row] = Math.min(returning[row] ?? 0, returning[index] ?? 0, this.findReturning(heads, index));
  }

  /** A compaction may keep messages that another one has hidden, and a transform may use all of them. */
  private findReturning(heads: Heads, index: number): number {
    const type = heads.typeAt(index);
    if (type === 'context_transform') return 0;
    const depth = type === 'compaction' ? (this.depths[heads.targetAt(index)] ?? 0) : 0;
    return depth === 0 ? NOTHING_RETURNS : depth - 1;
  }
}

const NOTHING_RETURNS = 2 ** 32 - 1;
