import os from 'node:os';
import which from 'which';
import { createMark, signalAll } from './process-tree.js';

/** A program and its arguments; with `isForShell`, the name alone is a command line for the system's shell. */
export interface ProgramCall {
  readonly program: readonly [name: string, ...args: readonly string[]];
  readonly isForShell: boolean;
  /** Its standard input. */
  readonly input: string;
  /** The limit in milliseconds. */
  readonly timeLimit: number;
  /** Environment variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The output and the end of a program. */
export interface ProgramRun {
  readonly stdout: string;
  readonly stderr: string;
  /** null if it did not exit by itself. */
  readonly exitCode: number | null;
  /** The reason why the program did not exit by itself. */
  readonly failure: 'none' | 'not-started' | 'timed-out' | 'too-long' | 'cancelled' | 'killed';
}

/** The most bytes of an output: a program that prints more is ended. */
const LONGEST_OUTPUT = 16_000_000;

/** The time in milliseconds for a program to exit after a request. */
const GRACE = 2000;

/** Runs a program to its end. A program that times out or is cancelled is ended with its child processes. */
export async function runProgram(call: ProgramCall, signal: AbortSignal): Promise<ProgramRun> {
  const [name, ...args] = call.program;
  if (signal.aborted) return { stdout: '', stderr: '', exitCode: null, failure: 'cancelled' };
  const { execa } = await import('execa');
  const mark = createMark();
  const child = execa(name, args, {
    input: call.input,
    env: { ...call.env, ...mark },
    shell: call.isForShell,
    reject: false,
    maxBuffer: LONGEST_OUTPUT,
    stripFinalNewline: false,
    // Its own process group, so that its child processes can be ended with it.
    detached: process.platform !== 'win32',
  });
  let stopped: 'none' | 'timed-out' | 'cancelled' = 'none';
  const tell = (kind: NodeJS.Signals): void => {
    if (child.pid !== undefined) signalAll(child.pid, mark, kind);
  };
  const stop = (why: typeof stopped): void => {
    stopped = why;
    tell('SIGTERM');
    setTimeout(() => tell('SIGKILL'), GRACE).unref();
  };
  const cancel = (): void => stop('cancelled');
  const timer = setTimeout(() => stop('timed-out'), call.timeLimit);
  signal.addEventListener('abort', cancel);
  try {
    const result = await child;
    const { stdout, stderr, exitCode = null } = result;
    return { stdout, stderr, exitCode, failure: stopped === 'none' ? findFailure(result) : stopped };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/** The file of a program on the PATH; null if there is none. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  return which.sync(name, { nothrow: true, path: env.PATH ?? '' });
}

/** The end of a program as execa reports it. */
interface ProgramEnd {
  readonly exitCode?: number | undefined;
  readonly isMaxBuffer: boolean;
  /** The error code of a program that could not be started. */
  readonly code?: string | undefined;
  readonly signal?: string | undefined;
}

/** The reason why a program did not exit by itself. */
function findFailure({ exitCode, isMaxBuffer, code, signal }: ProgramEnd): ProgramRun['failure'] {
  if (isMaxBuffer) return 'too-long';
  if (exitCode !== undefined) return 'none';
  return signal || !code ? 'killed' : 'not-started';
}

export function readHostName(): string {
  return os.hostname();
}
