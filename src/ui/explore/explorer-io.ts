import type { Clock } from '#platform/background.js';

/** The output of a command, and whether it has succeeded. */
export interface PrintedOutput {
  readonly text: string;
  readonly isOk: boolean;
}

/** The explorer's access to timers, programs and the clipboard. */
export interface ExplorerIo extends Clock {
  /** Calls back after some milliseconds. Returns a function that cancels. */
  later(milliseconds: number, call: () => void): () => void;
  /** Runs ctx and returns its output, in colours, for a screen of `columns` columns. */
  run(argv: readonly string[], columns: number, signal: AbortSignal): Promise<PrintedOutput>;
  /** Asks the terminal to report the mouse, or to stop. */
  reportMouse(isOn: boolean): void;
  /** Returns false if the terminal does not support copying. */
  copy(text: string): boolean;
}
