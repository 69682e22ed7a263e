import type { Session } from '#session/session.js';
import type { ReadPatch } from './replay/patch-op.js';

/** A session whose transforms can be replayed. `openSession` returns one, and `toReplayable` makes one. */
export interface ReplayableSession extends Session {
  /** The reader of patches, which is only loaded for a session with a transform. */
  readonly readPatch: ReadPatch;
}

/** A session whose transforms change nothing. */
export function ignorePatches(session: Session): ReplayableSession {
  return { ...session, readPatch: () => [] };
}
