const ESC = '\u001b[';

/** Switches to an empty alternate screen without a cursor, where pasted text is bracketed, and back. */
const ENTER = `${ESC}?1049h${ESC}?25l${ESC}2J${ESC}H${ESC}?2004h`;

/** Reports of the wheel, of clicks and of drags (modes 1000, 1002), with numbers for columns (1006). */
const MOUSE_ON = `${ESC}?1000h${ESC}?1002h${ESC}?1006h`;

const MOUSE_OFF = `${ESC}?1006l${ESC}?1002l${ESC}?1000l`;

const LEAVE = `${MOUSE_OFF}${ESC}?2004l${ESC}0m${ESC}?25h${ESC}?1049l`;

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Asks for reports of the mouse on the input, or ends them; `useWholeScreen` ends them, too. */
  reportMouse(isOn: boolean): void;
  /** Calls back when the size changes; returns a function that stops it. */
  onResize(call: () => void): () => void;
  /**
   * Gives the whole screen to some work, and restores it at any end. An exception in a callback, which would otherwise
   * be lost, rejects `crashed`.
   */
  wholeScreen<Result>(work: (crashed: Promise<never>) => Promise<Result>): Promise<Result>;
  /** Runs a program on the terminal, with an input text. */
  runHere(line: string, input: string): Promise<void>;
  /** Suspends this process until the shell continues it. */
  suspend(): Promise<void>;
}

/** The terminal of a process; null if its input or its output is not a terminal. */
export function findTerminal(run: NodeJS.Process): Terminal | null {
  const { stdin: input, stdout: output } = run;
  if (!input.isTTY || !output.isTTY) return null;
  return {
    input,
    output,
    get columns() {
      return output.columns || 80;
    },
    get rows() {
      return output.rows || 24;
    },
    write: (text) => void output.write(text),
    reportMouse: (isOn) => void output.write(isOn ? MOUSE_ON : MOUSE_OFF),
    onResize(call) {
      output.on('resize', call);
      return () => void output.off('resize', call);
    },
    wholeScreen: (work) => useWholeScreen(run, work),
    runHere: (line, text) => runHere(run, line, text),
    suspend: () => suspend(run),
  };
}

async function useWholeScreen<Result>(
  run: NodeJS.Process,
  work: (crashed: Promise<never>) => Promise<Result>,
): Promise<Result> {
  const { stdin: input, stdout: output } = run;
  const restore = (): void => {
    if (input.isTTY) input.setRawMode(false);
    output.write(LEAVE);
  };
  const crash = new AbortController();
  const crashed = new Promise<never>((_, reject) => {
    crash.signal.addEventListener('abort', () => reject(crash.signal.reason));
  });
  const onCrash = (error: unknown): void => crash.abort(error);
  run.on('uncaughtException', onCrash);
  run.on('unhandledRejection', onCrash);
  // Keys that are pressed before the first screen would be echoed into it.
  if (input.isTTY) input.setRawMode(true);
  output.write(ENTER);
  run.on('exit', restore);
  try {
    return await work(crashed);
  } finally {
    run.off('uncaughtException', onCrash);
    run.off('unhandledRejection', onCrash);
    run.off('exit', restore);
    restore();
  }
}

async function runHere({ stdin, env }: NodeJS.Process, line: string, input: string): Promise<void> {
  const { execa } = await import('execa');
  stdin.pause();
  await execa(line, { ...ON_TERMINAL, env: { LESS: 'R', ...env }, input });
}

/** A command line of the shell that prints to the terminal, and may fail. */
export const ON_TERMINAL = { shell: true, stdout: 'inherit', stderr: 'inherit', reject: false } as const;

/** Milliseconds after which a process that cannot be suspended continues. */
const NOT_STOPPED = 200;

async function suspend(run: NodeJS.Process): Promise<void> {
  if (run.platform === 'win32') return;
  run.stdin.pause();
  run.kill(run.pid, 'SIGTSTP');
  // No time passes for a stopped process.
  await new Promise((resolve) => void setTimeout(resolve, NOT_STOPPED));
}
