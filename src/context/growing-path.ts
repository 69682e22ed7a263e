import type { Head } from '#session/heads/head.js';
import type { OpenSession } from './open.js';
import { Replay, type ReplayOptions } from './replay/replay.js';

/** A path that is replayed while it grows. A fork goes on from the same place with other entries. */
export class GrowingPath {
  private constructor(
    private readonly path: Head[],
    readonly replay: Replay,
  ) {}

  static begin(session: OpenSession, options: ReplayOptions = {}): GrowingPath {
    const path: Head[] = [];
    return new GrowingPath(path, new Replay(session, path, options));
  }

  get length(): number {
    return this.path.length;
  }

  fork(): GrowingPath {
    const path = this.path.slice();
    return new GrowingPath(path, this.replay.fork(path));
  }

  /** Appends an entry, and applies it. Throws like `WalkStep.take`. */
  take(head: Head): void {
    this.path.push(head);
    this.replay.step(head, this.path.length - 1);
  }
}
