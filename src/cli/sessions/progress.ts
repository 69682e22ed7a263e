import type { Io } from '#platform/io.js';

/**
 * A line on the terminal with the progress of a long job, until it is disposed of. Prints nothing without a terminal.
 */
export interface Progress extends AsyncDisposable {
  step(): void;
  /** Takes the line away, before something else is printed. */
  clear(): Promise<void>;
  /** Puts it there again, after something else was printed. */
  again(): void;
}

const printNothing = (): Promise<void> => Promise.resolve();
/** A progress that prints nothing, for when something else has the screen. */
export const NO_PROGRESS: Progress = {
  step() {},
  clear: printNothing,
  again() {},
  [Symbol.asyncDispose]: printNothing,
};

const FIRST_AFTER = 1000;
const NEXT_AFTER = 100;

export function startProgress({ stderr, now }: Io, total: number, what: string): Progress {
  let done = 0;
  let shown = '';
  let cleared = '';
  const show = (text: string): void => {
    shown = text;
    // A closed terminal is noticed when the result is printed.
    void stderr.write(`\r${shown}`).catch(() => false);
  };
  const clear = async (): Promise<void> => {
    if (shown === '') return;
    await stderr.write(`\r${' '.repeat(shown.length)}\r`);
    cleared = shown;
    shown = '';
  };
  let next = now() + FIRST_AFTER;
  return {
    clear,
    [Symbol.asyncDispose]: clear,
    step() {
      done += 1;
      if (!stderr.isTerminal || now() < next) return;
      next = now() + NEXT_AFTER;
      show(`${done} of ${total} ${what}`);
    },
    again() {
      if (cleared !== '' && shown === '') show(cleared);
    },
  };
}
