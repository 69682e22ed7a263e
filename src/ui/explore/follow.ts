import { CtxError } from '#base/errors.js';
import type { SessionFollower } from '#context/follow.js';
import type { Explorer } from './explorer.js';
import { knownOf } from './known.js';
import type { Message } from './update.js';

/** Milliseconds after which the file is looked at again. */
const LOOK_AGAIN = 250;
/** Tells the explorer what is written to the file. */
export function follow(live: SessionFollower, explorer: Explorer): () => void {
  let isOver = false;
  let isAnew = false;
  let waiting = setTimeout(look, LOOK_AGAIN);
  return () => {
    isOver = true;
    clearTimeout(waiting);
  };

  function look(): void {
    void lookOnce();
  }

  async function lookOnce(): Promise<void> {
    await explorer.whileHeld(news);
    if (!isOver) waiting = setTimeout(look, LOOK_AGAIN);
  }

  async function news(): Promise<Message | null> {
    try {
      const change = await live.grow();
      if (isOver || change === 'nothing') return null;
      isAnew ||= change === 'anew';
      const session = await live.session();
      const known = knownOf(session, () => performance.now(), isAnew ? undefined : explorer.state.known);
      const message: Message = { kind: 'session', known, isAnew };
      isAnew = false;
      return message;
    } catch (error) {
      // Whoever writes a file anew empties it first, or takes it away for a moment.
      if (error instanceof CtxError && error.kind === 'input') return null;
      throw error;
    }
  }
}
