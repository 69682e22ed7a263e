import { placesOfEntry } from '#analysis/search/entry-places.js';
import { CtxError } from '#base/errors.js';
import type { SessionFollower } from '#context/follow.js';
import { entryName } from '#context/words/entry-text.js';
import { idText } from '#session/table/head.js';
import type { Explorer } from './explorer.js';
import { type SessionIndex, knownOf } from './known.js';
import type { Rows } from './rows.js';
import type { ExplorerMessage } from './update.js';

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

/** Messages and pieces of work that wait while the file is being looked at. */
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

  /** What the work finds out comes before all that waits. */
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

/** What the explorer may touch outside itself. */
export interface Edge extends Clock {
  /** Calls back after some milliseconds; gives what takes it back. */
  later(milliseconds: number, call: () => void): () => void;
  /** What ctx prints for a command line, in colours, for a screen of so many columns. */
  run(argv: readonly string[], columns: number, signal: AbortSignal): Promise<string>;
  /** false: this terminal takes no copies. */
  copy(text: string): boolean;
}

/** Why the screen is left: for good, or for a while. */
export type Leave =
  | { readonly kind: 'quit'; readonly say: string | null }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'pager'; readonly argv: readonly string[] };

/** Where a search begins, and which way it goes. */
interface SearchWish {
  readonly pattern: RegExp;
  readonly from: number;
  readonly step: 1 | -1;
}

/**
 * The entry of the next row that matches by its id, its name, its label or any of its texts, from the end on to the
 * beginning; null where there is none. Gives how much was searched after each row.
 */
export function* matchInList(
  { rows, known }: { readonly rows: Rows; readonly known: SessionIndex },
  { pattern, from, step }: SearchWish,
): Generator<number, number | null> {
  const { length } = rows;
  for (let count = 1; count <= length; count += 1) {
    const index = rows.indexAt((from + step * count + length * 2) % length);
    if (matches(known, index, pattern)) return index;
    yield count / length;
  }
  return null;
}

function matches({ session, labels }: SessionIndex, index: number, pattern: RegExp): boolean {
  const head = session.tree.heads.at(index);
  if (!head) return false;
  const names = [idText(head.id) ?? '', entryName(head), labels.get(index) ?? ''];
  if (names.some((name) => pattern.test(name))) return true;
  for (const { text } of placesOfEntry(session.entry(head))) if (pattern.test(text)) return true;
  return false;
}

/** What is searched for: a regular expression, or the text itself where it is none. Capitals count if there are any. */
export function patternOf(typed: string): RegExp {
  const flags = /\p{Lu}/u.test(typed) ? 'u' : 'iu';
  try {
    return new RegExp(typed, flags);
  } catch {
    return new RegExp(typed.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), flags);
  }
}

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

  async function news(): Promise<ExplorerMessage | null> {
    try {
      const change = await live.grow();
      if (isOver || change === 'nothing') return null;
      isAnew ||= change === 'anew';
      const session = await live.session();
      const known = knownOf(session, () => performance.now(), isAnew ? undefined : explorer.state.known);
      const message: ExplorerMessage = { kind: 'session', known, isAnew };
      isAnew = false;
      return message;
    } catch (error) {
      // Whoever writes a file anew empties it first, or takes it away for a moment.
      if (error instanceof CtxError && error.kind === 'input') return null;
      throw error;
    }
  }
}
