import type { Io } from '#platform/io.js';

/** Does work that comes piece by piece with a signal that is aborted when the user interrupts. */
export async function* stopOnInterrupt<Item>(
  io: Io,
  work: (signal: AbortSignal) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const end = new AbortController();
  const done = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  let watching: Promise<void> = done;
  const signal = await new Promise<AbortSignal>((resolve) => {
    watching = io.untilInterrupted((aborted) => {
      resolve(aborted);
      return done;
    });
  });
  try {
    yield* work(signal);
  } finally {
    end.abort();
    await watching;
  }
}
