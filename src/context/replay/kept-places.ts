import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/** From where on a path its compactions keep, and so what may come back. */
export class KeptPlaces {
  /** Where an entry of the file stands on the path, counted from 1. */
  private readonly places: Uint32Array;
  /** The places of what sets messages aside or brings them back, from the root down. */
  private readonly changes: number[] = [];
  private back: ReadonlyMap<number, number> | null = null;

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
  ) {
    this.places = new Uint32Array(session.tree.heads.length);
    let place = 0;
    for (const { index, type } of path) {
      if (type === 'compaction' || type === 'context_transform') this.changes.push(place);
      this.places[index] = place += 1;
    }
  }

  /** Where on the path a compaction keeps from; -1 for an entry that is not on it. */
  placeKept(compaction: Head): number {
    const target = this.session.tree.heads.targetAt(compaction.index);
    return (this.places[target] ?? 0) - 1;
  }

  /**
   * The first entry of the path whose message may still come back once the compaction at `index` has set it aside: later
   * ones may keep from further up than it did, and a later transform may take its messages from anywhere. Infinity where
   * nothing comes back.
   */
  comeBackFrom(index: number): number {
    this.back ??= this.allComeBackFrom();
    return this.back.get(index) ?? 0;
  }

  private allComeBackFrom(): ReadonlyMap<number, number> {
    const back = new Map<number, number>();
    let first = Number.POSITIVE_INFINITY;
    for (const at of this.changes.toReversed()) {
      back.set(at, first);
      const head = this.path[at];
      const place = head?.type === 'compaction' ? this.placeKept(head) : 0;
      if (place !== -1 && place <= at) first = Math.min(first, place);
    }
    return back;
  }
}
