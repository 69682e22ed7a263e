import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import type { OpenSession } from '../open.js';
import { SessionFollower } from './live.js';

/** How long a file is left alone before it is looked at again. */
const PAUSE_MILLISECONDS = 250;

/** A session as it is after a change. */
export interface SessionUpdate {
  readonly session: OpenSession;
  /** `anew`: the file was replaced, so that nothing known of it holds any more. */
  readonly change: 'first' | 'more' | 'anew';
}

/** The session in a file as it is now, and again each time something was written to it, until nobody waits any longer. */
export async function* follow(io: Io, file: string): AsyncGenerator<SessionUpdate> {
  if (file === '-') throw new CtxError('usage', 'standard input cannot be followed', { hint: 'name a file' });
  const live = await SessionFollower.open(file, io.files);
  yield { session: await live.session(), change: 'first' };
  let isAnew = false;
  while (await io.wait(PAUSE_MILLISECONDS)) {
    const change = await unlessUnreadable(() => live.grow());
    if (change === null || change === 'nothing') continue;
    isAnew ||= change === 'anew';
    // Whoever writes a file anew empties it first, or takes it away for a moment.
    const session = await unlessUnreadable(() => live.session());
    if (!session) continue;
    yield { session, change: isAnew ? 'anew' : 'more' };
    isAnew = false;
  }
}

async function unlessUnreadable<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return null;
    throw error;
  }
}
