import { randomUUID } from 'node:crypto';
import fs from 'node:fs';

/** A program and its arguments; with `isForShell`, the name alone is a line that the shell of the system reads. */
export interface ProgramCall {
  readonly program: readonly [name: string, ...args: readonly string[]];
  readonly isForShell: boolean;
  /** Its standard input. */
  readonly input: string;
  /** In milliseconds. */
  readonly timeLimit: number;
  /** Variables of its environment beside those that this process has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The output and the end of a program. */
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
  const mark = newMark();
  const child = execa(name, args, {
    input: call.input,
    env: { ...call.env, ...mark },
    shell: call.isForShell,
    reject: false,
    maxBuffer: LONGEST_OUTPUT,
    stripFinalNewline: false,
    // A group of its own, so that what it started can be ended with it.
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

/** Variables that mark a program and all that it starts, which inherits them. */
export type ProcessMark = Readonly<Record<typeof MARK, string>>;

const MARK = 'CTX_STARTED_AS';

/** A mark that no other program has. */
export function newMark(): ProcessMark {
  return { [MARK]: randomUUID() };
}

/**
 * Sends a signal to a program that leads a process group and to all that it started: to its group and, on Linux, also to
 * what has left the group and still has its mark. Gives whether there was any of them.
 */
export function signalAll(pid: number, mark: ProcessMark, signal: NodeJS.Signals): boolean {
  const hasGroup = send(process.platform === 'win32' ? pid : -pid, signal);
  let hasOthers = false;
  // What is killed here may have started another one in the meantime.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const sent = marked(mark).filter((id) => send(id, signal));
    if (sent.length === 0) break;
    hasOthers = true;
    if (signal !== 'SIGKILL') break;
  }
  return hasGroup || hasOthers;
}

const MOST_ROUNDS = 20;

/** The running processes that have a mark; none where the system does not tell. */
function marked(mark: ProcessMark): readonly number[] {
  if (process.platform !== 'linux') return [];
  const text = `${MARK}=${mark[MARK]}`;
  const ids = fs.readdirSync('/proc').map(Number);
  return ids.filter((id) => Number.isInteger(id) && id !== process.pid && environmentOf(id).includes(text));
}

/** Empty where it is gone, or belongs to another user. */
function environmentOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** false: it has ended. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
