/** Milliseconds of work at a time: so long a key waits at most. */
const SLICE = 4;
/** The clock is looked at after so many steps. */
const STEPS = 16;

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back when what is waiting, keys above all, had its turn; gives what takes it back. */
  soon(call: () => void): () => void;
}

export interface Slices<Step, Result> {
  /** After each slice of work but the last one. */
  onSlice(step: Step): void;
  onEnd(result: Result): void;
  onError(error: unknown): void;
}

/** Does work step by step, in slices with pauses between them. Gives what stops it. */
export function inSlices<Step, Result>(
  work: Generator<Step, Result>,
  clock: Clock,
  { onSlice, onEnd, onError }: Slices<Step, Result>,
): () => void {
  let takeBack = clock.soon(slice);
  return () => takeBack();

  function slice(): void {
    const end = clock.now() + SLICE;
    try {
      for (let steps = 1; ; steps += 1) {
        const next = work.next();
        if (next.done) return onEnd(next.value);
        if (steps % STEPS !== 0 || clock.now() < end) continue;
        takeBack = clock.soon(slice);
        return onSlice(next.value);
      }
    } catch (error) {
      onError(error);
    }
  }
}
