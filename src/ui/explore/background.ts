import { CtxError } from '#base/errors.js';
import type { SessionFollower } from '#context/follow.js';
import type { Explorer } from './explorer.js';
import { knownOf } from './known.js';
import type { ExplorerMessage } from './update.js';

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
  /** After each slice of work but the last one. */
  onSlice(step: Step): void;
  onEnd(result: Result): void;
  onError(error: unknown): void;
}

/** Does work step by step, in slices with pauses between them. Returns a function that stops it. */
function inSlices<Step, Result>(
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

  /** `usual`: the handlers of work that has none of its own. */
  constructor(
    private readonly clock: Clock,
    private readonly usual: Slices<unknown, unknown>,
  ) {}

  start<Step, Result>(name: Name, work: Generator<Step, Result>, slices: Partial<Slices<Step, Result>> = {}): void {
    this.replace(name, () => inSlices(work, this.clock, { ...this.usual, ...slices }));
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
export class Held<Item> implements Clock {
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

/** The output of a command, and whether it has succeeded. */
export interface Printed {
  readonly text: string;
  readonly isOk: boolean;
}

/** The explorer's access to timers, programs and the clipboard. */
export interface Edge extends Clock {
  /** Calls back after some milliseconds. Returns a function that cancels. */
  later(milliseconds: number, call: () => void): () => void;
  /** Runs ctx and returns its output, in colours, for a screen of `columns` columns. */
  run(argv: readonly string[], columns: number, signal: AbortSignal): Promise<Printed>;
  /** Asks the terminal to report the mouse, or to stop. */
  reportMouse(isOn: boolean): void;
  /** Returns false if the terminal does not support copying. */
  copy(text: string): boolean;
}

/** The reason for leaving the screen: for good, or for a while. */
export type Leave =
  | { readonly kind: 'quit'; readonly say: string | null }
  | { readonly kind: 'back' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'pager'; readonly argv: readonly string[] };

/** Milliseconds between two looks at the file. */
const LOOK_AGAIN = 250;
/** Sends the explorer every change of the file. Returns a function that stops. */
export function follow(live: SessionFollower, explorer: Explorer): () => void {
  let isOver = false;
  let isRewritten = false;
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

  async function news(): Promise<ExplorerMessage | null> {
    try {
      const change = await live.grow();
      if (isOver || change === 'nothing') return null;
      isRewritten ||= change !== 'more';
      const session = await live.session();
      const known = knownOf(session, () => performance.now(), isRewritten ? undefined : explorer.state.known);
      const message: ExplorerMessage = { kind: 'session', known, isRewritten };
      isRewritten = false;
      return message;
    } catch (error) {
      // A program that rewrites a file first truncates or removes it for a moment.
      if (error instanceof CtxError && error.kind === 'input') return null;
      throw error;
    }
  }
}

/** The message of an error, as the command line prints it. Rethrows bugs. */
export function reason(error: unknown): string {
  if (!(error instanceof CtxError)) throw error;
  return [error.message, error.where, error.hint].filter((part) => part !== null).join(': ');
}
