import type { Head } from '#session/heads/head.js';
import { CONTEXT_CHANGE_TYPES } from '../replay/entry-kinds.js';
import { PathPlaces } from '../replay/path-places.js';
import type { Replay } from '../replay/replay.js';
import type { ReplayableSession } from '../replayable.js';
import { usesEarlierMessages } from './first-needed.js';

/** The messages that compactions of a path hid and that a later entry may show again. A replay can forget all others. */
export class ReturningMessages {
  private readonly places: PathPlaces;
  /** For the place of each change: the first place of the path whose message may return after it. */
  private firstReturning: ReadonlyMap<number, number> | null = null;
  private changes = 0;

  /** `path` is complete: what returns depends on what follows. */
  constructor(
    private readonly session: ReplayableSession,
    private readonly path: readonly Head[],
  ) {
    this.places = new PathPlaces(path);
  }

  /** Lets a replay forget the hidden messages that do not return after the entry that it has just applied. */
  forgetOthers(replay: Pick<Replay, 'forgetHidden'>, { type }: Head, index: number): void {
    if (!hidesMessages(type)) return;
    this.changes += 1;
    // A walk of only the end of a path meets one change, and has little to forget.
    if (this.changes < 2) return;
    this.firstReturning ??= this.findFirstReturning();
    replay.forgetHidden(this.firstReturning.get(index) ?? 0);
  }

  private findFirstReturning(): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    let first = Number.POSITIVE_INFINITY;
    for (let at = this.path.length - 1; at >= 0; at -= 1) {
      const head = this.path[at];
      if (!head || !hidesMessages(head.type)) continue;
      found.set(at, first);
      const place = first > 0 ? this.findFirstUsed(head) : -1;
      if (place !== -1 && place <= at) first = Math.min(first, place);
    }
    return found;
  }

  /**
   * The first place of the messages that an entry may show again; -1 if it shows none. A compaction may keep earlier entries
   * than the ones before it did, and a transform may use any message, unless it only compacts or declares.
   */
  private findFirstUsed(head: Head): number {
    if (head.type === 'compaction' || head.type === 'reset_boundary')
      return this.places.find(this.session.tree.heads.targetAt(head.index));
    return usesEarlierMessages(this.session.readPatch(this.session.entry(head)), true) ? 0 : -1;
  }
}

/** An edit only hides the message of its target, which stays in the list. */
function hidesMessages(type: string | null): boolean {
  return CONTEXT_CHANGE_TYPES.has(type) && type !== 'context_edit';
}
