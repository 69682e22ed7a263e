import type { Head } from '../session/head.js';
import type { Session } from '../session/session.js';

/** From where on a path its compactions keep, and so what may come back. */
export class KeptPlaces {
  /** Where an entry of the file stands on the path, counted from 1. */
  private readonly places: Uint32Array;
  private back: Float64Array | null = null;

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
  ) {
    this.places = new Uint32Array(session.tree.heads.length);
    let place = 0;
    for (const { index } of path) this.places[index] = place += 1;
  }

  /** Where on the path a compaction keeps from; -1 for an entry that is not on it. */
  placeKept(compaction: Head): number {
    const target = this.session.tree.heads.targetAt(compaction.index);
    return (this.places[target] ?? 0) - 1;
  }

  /**
   * The first entry of the path whose message may still come back once it has been set aside at `index`: later
   * compactions may keep from further up than this one did, and a later transform may take its messages from anywhere.
   * Infinity where nothing comes back.
   */
  comeBackFrom(index: number): number {
    this.back ??= this.allComeBackFrom();
    return this.back[index] ?? 0;
  }

  private allComeBackFrom(): Float64Array {
    const { path } = this;
    const from = new Float64Array(path.length);
    let first = Number.POSITIVE_INFINITY;
    for (let at = path.length - 1; at >= 0; at -= 1) {
      from[at] = first;
      const head = path[at];
      if (head?.type === 'context_transform') first = 0;
      if (head?.type !== 'compaction') continue;
      const place = this.placeKept(head);
      if (place !== -1 && place <= at) first = Math.min(first, place);
    }
    return from;
  }
}
