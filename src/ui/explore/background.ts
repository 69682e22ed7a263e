import { CtxError } from '#base/errors.js';
import type { SessionFollower, SessionUpdate } from '#context/follow.js';
import type { Clock } from '#platform/background.js';

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

/** Milliseconds between two looks at the file. */
const LOOK_AGAIN = 250;

/** Calls `look` with a function that reads the news of a file, again and again. Returns a function that stops. */
export function follow(
  live: SessionFollower,
  look: (news: () => Promise<SessionUpdate | null>) => Promise<void>,
): () => void {
  let isOver = false;
  const lookOnce = async (): Promise<void> => {
    await look(async () => (isOver ? null : live.news()));
    if (!isOver) waiting = setTimeout(() => void lookOnce(), LOOK_AGAIN);
  };
  let waiting = setTimeout(() => void lookOnce(), LOOK_AGAIN);
  return () => {
    isOver = true;
    clearTimeout(waiting);
  };
}

/** The message of an error, as the command line prints it. Rethrows bugs. */
export function reason(error: unknown): string {
  if (!(error instanceof CtxError)) throw error;
  return [error.message, error.where, error.hint].filter((part) => part !== null).join(': ');
}
