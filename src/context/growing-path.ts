import type { Head } from '#session/heads/head.js';
import { Replay, type ReplayOptions } from './replay/replay.js';
import type { ReplayableSession } from './replayable.js';

/** A path that is replayed while it grows. A fork goes on from the same place with other entries. */
export class GrowingPath {
  readonly replay: Replay;
  private readonly path: Head[];

  constructor(
    private readonly session: ReplayableSession,
    private readonly options: ReplayOptions,
    before: GrowingPath | null = null,
  ) {
    this.path = before?.path.slice() ?? [];
    this.replay = new Replay(session, this.path, options, before?.replay);
  }

  get length(): number {
    return this.path.length;
  }

  fork(): GrowingPath {
    return new GrowingPath(this.session, this.options, this);
  }

  /** Appends an entry, and applies it. Throws like `WalkStep.take`. */
  take(head: Head): void {
    this.path.push(head);
    this.replay.step(head, this.path.length - 1);
  }
}
