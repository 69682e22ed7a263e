/** Milliseconds of work at a time, which is the longest that a key waits. */
const SLICE = 4;
/** Steps between two looks at the clock. */
const STEPS = 16;

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back after pending events, such as keys. Returns a function that cancels. */
  soon(call: () => void): () => void;
}

export interface Slices<Step, Result> {
  /** Receives the result of each slice of work but the last one. */
  onSlice(step: Step): void;
  onEnd(result: Result): void;
  onError(error: unknown): void;
}

/** Does work step by step, in slices with pauses between them. Returns a function that stops it. */
function runInSlices<Step, Result>(
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

/** Work in the background, by its name: a new piece of work ends the earlier one of the name. */
export class BackgroundJobs<Name extends string> {
  private readonly stops = new Map<Name, () => void>();

  /** `usual`: the handlers for work without handlers of its own. */
  constructor(
    private readonly clock: Clock,
    private readonly usual: Slices<unknown, unknown>,
  ) {}

  start<Step, Result>(name: Name, work: Generator<Step, Result>, slices: Partial<Slices<Step, Result>> = {}): void {
    this.replace(name, () => runInSlices(work, this.clock, { ...this.usual, ...slices }));
  }

  /** `begin`: begins other work, and returns a function that stops it. */
  replace(name: Name, begin: () => () => void): void {
    this.stop(name);
    this.stops.set(name, begin());
  }

  /** Stops work by its names; all work without names. */
  stop(...names: readonly Name[]): void {
    for (const name of names.length === 0 ? this.stops.keys() : names) this.stops.get(name)?.();
  }
}

/** Queues messages and pieces of work while the file is being read. */
export class HeldMessages<Item> implements Clock {
  private readonly waiting: (() => void)[] = [];
  isHeld = false;

  constructor(
    private readonly take: (message: Item) => void,
    private readonly clock: Clock,
  ) {}

  now(): number {
    return this.clock.now();
  }

  send(message: Item): void {
    if (this.isHeld) this.waiting.push(() => this.take(message));
    else this.take(message);
  }

  soon(call: () => void): () => void {
    let isOver = false;
    const once = (): void => {
      if (isOver) return;
      if (this.isHeld) this.waiting.push(once);
      else call();
    };
    const takeBack = this.clock.soon(once);
    return () => {
      isOver = true;
      takeBack();
    };
  }

  /** Queues everything else until the work is done, and handles its result first. */
  async during(work: () => Promise<Item | null>): Promise<void> {
    this.isHeld = true;
    let found: Item | null = null;
    try {
      found = await work();
    } finally {
      this.isHeld = false;
      if (found !== null) this.take(found);
      for (const call of this.waiting.splice(0)) call();
    }
  }
}
