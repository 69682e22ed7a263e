import type { Head } from '#session/heads/head.js';
import type { ReplayableSession } from '../replayable.js';
import { CONTEXT_CHANGE_TYPES } from './entry-kinds.js';
import { looksUp } from './first-needed.js';

/** The first kept places of the compactions on a path, and the messages that may return. */
export class KeptPlaces {
  /** The position of an entry of the file on the path, counted from 1. */
  private places = new Uint32Array(0);
  /** The number of entries of the path that have a position: a path may grow. */
  private placed = 0;
  /** The places of entries that remove or restore messages, from the root. */
  private readonly changes: number[] = [];
  private back: ReadonlyMap<number, number> | null = null;

  constructor(
    private readonly session: ReplayableSession,
    private readonly path: readonly Head[],
  ) {
    this.grow();
  }

  /** The first place that a compaction keeps; -1 for an entry outside the path. */
  placeKept(compaction: Head): number {
    this.grow();
    const target = this.session.tree.heads.targetAt(compaction.index);
    return (this.places[target] ?? 0) - 1;
  }

  /** The place after the one of an entry; -1 for an id outside the path. */
  placeAfter(id: unknown): number {
    this.grow();
    // An id that is no string names no entry that any program writes.
    const head = typeof id === 'string' ? this.session.tree.heads.find(id) : undefined;
    const place = head ? (this.places[head.index] ?? 0) : 0;
    return place === 0 ? -1 : place;
  }

  /**
   * The first entry of the path whose message may return after the compaction at `index` has removed it: later
   * compactions may keep earlier entries than it did, and a later transform may use any message, unless it only compacts
   * or declares. Infinity if nothing returns.
   */
  comeBackFrom(index: number): number {
    this.grow();
    this.back ??= this.allComeBackFrom();
    return this.back.get(index) ?? 0;
  }

  private grow(): void {
    if (this.placed === this.path.length) return;
    const { length } = this.session.tree.heads;
    if (length > this.places.length) {
      const places = new Uint32Array(length);
      places.set(this.places);
      this.places = places;
    }
    for (; this.placed < this.path.length; this.placed += 1) {
      const head = this.path[this.placed];
      if (!head) continue;
      if (CONTEXT_CHANGE_TYPES.has(head.type) && head.type !== 'context_edit') this.changes.push(this.placed);
      this.places[head.index] = this.placed + 1;
    }
    this.back = null;
  }

  private allComeBackFrom(): ReadonlyMap<number, number> {
    const back = new Map<number, number>();
    let first = Number.POSITIVE_INFINITY;
    for (const at of this.changes.toReversed()) {
      back.set(at, first);
      const head = this.path[at];
      const place = head && first > 0 ? this.placeUsed(head) : -1;
      if (place !== -1 && place <= at) first = Math.min(first, place);
    }
    return back;
  }

  /** The first place of the messages that an entry may restore; -1 if it restores none. */
  private placeUsed(head: Head): number {
    if (head.type === 'compaction') return this.placeKept(head);
    if (head.type === 'reset_boundary') return -1;
    return looksUp(this.session.readPatch(this.session.entry(head)), true) ? 0 : -1;
  }
}
