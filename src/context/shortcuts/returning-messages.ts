import { once } from '#base/memoize.js';
import type { Head } from '#session/heads/head.js';
import type { OpenSession } from '../open.js';
import { CONTEXT_CHANGE_TYPES } from '../replay/entry-kinds.js';
import { PathPlaces } from '../replay/path-places.js';
import type { Replay } from '../replay/replay.js';
import { usesEarlierMessages } from './first-needed.js';

/**
 * The messages that compactions of a path hid and that a later entry may show again. A replay can forget all others.
 */
export class ReturningMessages {
  private readonly firstReturning: () => ReadonlyMap<number, number>;
  private changes = 0;

  /** `path` is complete: what returns depends on what follows. */
  constructor(session: OpenSession, path: readonly Head[]) {
    this.firstReturning = once(() => findFirstReturning(session, path));
  }

  /** Lets a replay forget the hidden messages that do not return after the entry that it has just applied. */
  forgetOthers(replay: Pick<Replay, 'forgetHidden'>, head: Head, index: number): void {
    if (!hidesMessages(head)) return;
    this.changes += 1;
    // A walk of only the end of a path meets one change, and has little to forget.
    if (this.changes > 1) replay.forgetHidden(this.firstReturning().get(index) ?? 0);
  }
}

/** An edit only hides the message of its target, which stays in the list. */
function hidesMessages({ type }: Head): boolean {
  return CONTEXT_CHANGE_TYPES.has(type) && type !== 'context_edit';
}

/** Finds, for each entry that hides messages, the first place of the path whose message may return after it. */
function findFirstReturning(session: OpenSession, path: readonly Head[]): ReadonlyMap<number, number> {
  const places = new PathPlaces(path);
  const found = new Map<number, number>();
  let first = Number.POSITIVE_INFINITY;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (!head || !hidesMessages(head)) continue;
    found.set(at, first);
    const shown = first > 0 ? findFirstShown(session, places, head) : -1;
    if (shown !== -1 && shown <= at) first = Math.min(first, shown);
  }
  return found;
}

/**
 * The first place of the messages that an entry may show again; -1 if it shows none. A compaction may keep earlier
 * entries than the ones before it did, and a transform may use any message, unless it only compacts or declares.
 */
function findFirstShown(session: OpenSession, places: PathPlaces, head: Head): number {
  if (head.type !== 'context_transform') return places.find(session.tree.heads.targetAt(head.index));
  const patch = session.readPatch(session.entry(head));
  return usesEarlierMessages(patch, true) ? 0 : -1;
}
