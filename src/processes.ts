/** A program and its arguments; with `isForShell`, the name alone is a line that the shell of the system reads. */
export interface ProgramCall {
  readonly program: readonly [name: string, ...args: readonly string[]];
  readonly isForShell: boolean;
  /** What it reads. */
  readonly input: string;
  /** In milliseconds. */
  readonly timeLimit: number;
  /** Variables of its environment beside those that this process has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a program has said, and how it ended. */
export interface ProgramRun {
  readonly stdout: string;
  readonly stderr: string;
  /** null where it did not end by itself. */
  readonly exitCode: number | null;
  /** Why it did not end by itself. */
  readonly failure: 'none' | 'not-started' | 'timed-out' | 'too-long' | 'cancelled' | 'killed';
}

const LONGEST_OUTPUT = 16_000_000;
/** Milliseconds in which a program may end after it was asked to. */
const GRACE = 2000;

/** Runs a program to its end. A program that takes too long, or is not wanted any more, is ended with all that it started. */
export async function runProgram(call: ProgramCall, signal: AbortSignal): Promise<ProgramRun> {
  const [name, ...args] = call.program;
  if (signal.aborted) return { stdout: '', stderr: '', exitCode: null, failure: 'cancelled' };
  const { execa } = await import('execa');
  const child = execa(name, args, {
    input: call.input,
    env: call.env ?? {},
    shell: call.isForShell,
    reject: false,
    maxBuffer: LONGEST_OUTPUT,
    stripFinalNewline: false,
    // A group of its own, so that what it started can be ended with it.
    detached: process.platform !== 'win32',
  });
  let stopped: 'none' | 'timed-out' | 'cancelled' = 'none';
  const stop = (why: typeof stopped): void => {
    stopped = why;
    kill(child, 'SIGTERM');
    setTimeout(() => kill(child, 'SIGKILL'), GRACE).unref();
  };
  const cancel = (): void => stop('cancelled');
  const timer = setTimeout(() => stop('timed-out'), call.timeLimit);
  signal.addEventListener('abort', cancel);
  try {
    const { stdout, stderr, exitCode, isMaxBuffer, code, signal: killedBy } = await child;
    const failure = isMaxBuffer
      ? 'too-long'
      : exitCode !== undefined
        ? 'none'
        : killedBy || !code
          ? 'killed'
          : 'not-started';
    return { stdout, stderr, exitCode: exitCode ?? null, failure: stopped === 'none' ? failure : stopped };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function kill(
  child: { readonly pid?: number | undefined; kill(signal: NodeJS.Signals): boolean },
  signal: NodeJS.Signals,
): void {
  const { pid } = child;
  try {
    if (pid !== undefined && process.platform !== 'win32') process.kill(-pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended by itself.
  }
}
