import { memoizeByObject } from '#base/memoize.js';
import type { Session } from '#session/session.js';
import type { ReadPatch } from './replay/patch-op.js';

/** A session whose transforms can be replayed. `openSession` returns one, and `toReplayable` makes one. */
export interface ReplayableSession extends Session {
  /** The reader of patches, which is only loaded for a session with a transform. */
  readonly readPatch: ReadPatch;
  /** Whether replay skips patch ops that break a rule, with a diagnostic. Otherwise the first of them ends it with an error. */
  readonly isLenient?: boolean;
}

/** A session whose transforms change nothing. */
export function ignorePatches(session: Session): ReplayableSession {
  return { ...session, readPatch: () => [] };
}

/** The session, whose replay skips patch ops that break a rule. The same object each time. */
export function toLenient<Opened extends ReplayableSession>(session: Opened): Opened {
  return lenientForm(session) as Opened;
}

const lenientForm = memoizeByObject((session: ReplayableSession): ReplayableSession => ({
  ...session,
  isLenient: true,
}));
