import type { SessionFollower, SessionUpdate } from '#context/follow.js';

/** Milliseconds between two looks at the file. */
const LOOK_AGAIN = 250;

/** Calls `look` with a function that reads the news of a file, again and again. Returns a function that stops. */
export function pollNews(
  live: SessionFollower,
  look: (news: () => Promise<SessionUpdate | null>) => Promise<void>,
): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look(() => live.readNews()).finally(() => (isLooking = false));
  }, LOOK_AGAIN);
  return () => clearInterval(timer);
}
