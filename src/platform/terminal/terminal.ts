import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import which from 'which';

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
  /** Asks for reports of the mouse on the input, or ends them; `wholeScreen` ends them, too. */
  reportMouse(isOn: boolean): void;
  /** Calls back when the size changes; returns a function that stops it. */
  onResize(call: () => void): () => void;
  /**
   * Gives the whole screen to some work, and restores it at any end. An exception in a callback, which would otherwise be
   * lost, rejects `crashed`.
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
    wholeScreen: (work) => wholeScreen(run, work),
    runHere: (line, text) => runHere(run, line, text),
    suspend: () => suspend(run),
  };
}

/**
 * Asks for a line on the terminal of a process; null if its input, its output or its errors are redirected. The
 * terminal edits the line, so Ctrl-C interrupts as usual, and Ctrl-D returns an empty one.
 */
export async function askOnTerminal(run: NodeJS.Process, question: string): Promise<string | null> {
  const { stdin: input, stdout, stderr } = run;
  if (!input.isTTY || !stdout.isTTY || !stderr.isTTY) return null;
  stderr.write(question);
  for await (const line of createInterface({ input, terminal: false })) return line;
  stderr.write('\n');
  return '';
}

async function wholeScreen<Result>(
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
const ON_TERMINAL = { shell: true, stdout: 'inherit', stderr: 'inherit', reject: false } as const;

/** Milliseconds after which a process that cannot be suspended continues. */
const NOT_STOPPED = 200;

async function suspend(run: NodeJS.Process): Promise<void> {
  if (run.platform === 'win32') return;
  run.stdin.pause();
  run.kill(run.pid, 'SIGTSTP');
  // No time passes for a stopped process.
  await new Promise((resolve) => void setTimeout(resolve, NOT_STOPPED));
}

/** A program that shows text page by page. */
export interface Pager {
  /** Writes. Returns false if it accepts no more. */
  write(text: string | Uint8Array): Promise<boolean>;
  /** Ends the text. Resolves when the user has left the pager. */
  end(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts a pager on the terminal; null if the program does not exist. Its settings are those of git. */
export async function startPager(line: string, run: NodeJS.Process): Promise<Pager | null> {
  const [program = ''] = line.split(/\s/);
  // A quoted name and the like is left to the shell.
  if (/^[\w./+-]+$/.test(program) && !which.sync(program, { nothrow: true, path: run.env['PATH'] ?? '' })) return null;
  const { execa } = await import('execa');
  const child = execa(line, { ...ON_TERMINAL, env: { LESS: 'FRX', LV: '-c', ...run.env } });
  let isRead = true;
  // A pager that exits during a write has shown what the user wanted. An interrupt is for the pager, which may be
  // searching; the text ends there.
  const stop = (): void => {
    isRead = false;
  };
  const isOver = child.then(stop);
  child.stdin.on('error', stop);
  run.on('SIGINT', stop);
  return {
    async write(text) {
      if (!isRead) return false;
      const written = new Promise<void>((resolve) => void child.stdin.write(text, () => resolve()));
      await Promise.race([written, isOver]);
      return isRead;
    },
    async end() {
      child.stdin.end();
      await isOver;
      run.off('SIGINT', stop);
    },
  };
}

/** Tests whether the terminal has hyperlinks. One of another machine does not have the files. */
export async function hasHyperlinks(env: Environment): Promise<boolean> {
  const isElsewhere = env['SSH_CONNECTION'] !== undefined || env['SSH_TTY'] !== undefined;
  if (isElsewhere && !env['FORCE_HYPERLINK']) return false;
  const { createSupportsHyperlinks } = await import('supports-hyperlinks');
  return createSupportsHyperlinks({ isTTY: true });
}

/** The programs that open a file as the user's desktop does. */
const OPENERS: Partial<Readonly<Record<NodeJS.Platform, readonly [name: string, ...args: readonly string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** The time in milliseconds after which a program that still runs has opened the file. */
const OPENED_AFTER = 2000;

/** Opens a file in the user's browser, which outlives this process. Returns false if there is none. */
export function openInBrowser(
  file: string,
  { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'>,
): Promise<boolean> {
  const [name, ...args] = OPENERS[platform] ?? ['xdg-open'];
  const child = spawn(name, [...args, file], { detached: true, stdio: 'ignore', env });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), OPENED_AFTER);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
