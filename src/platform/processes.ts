import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { attempt } from '#base/errors.js';

/** A program and its arguments; with `isForShell`, the name alone is a command line for the system's shell. */
export interface ProgramCall {
  readonly program: readonly [name: string, ...args: readonly string[]];
  readonly isForShell: boolean;
  /** Its standard input. */
  readonly input: string;
  /** In milliseconds. */
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
  /** The reason why it did not exit by itself. */
  readonly failure: 'none' | 'not-started' | 'timed-out' | 'too-long' | 'cancelled' | 'killed';
}

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
    return { stdout, stderr, exitCode, failure: stopped === 'none' ? failureOf(result) : stopped };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

interface ProgramEnd {
  readonly exitCode?: number | undefined;
  readonly isMaxBuffer: boolean;
  /** The error code of a program that could not be started. */
  readonly code?: string | undefined;
  readonly signal?: string | undefined;
}

function failureOf({ exitCode, isMaxBuffer, code, signal }: ProgramEnd): ProgramRun['failure'] {
  if (isMaxBuffer) return 'too-long';
  if (exitCode !== undefined) return 'none';
  return signal || !code ? 'killed' : 'not-started';
}

export function hostName(): string {
  return os.hostname();
}

/** Variables that mark a program and its child processes, which inherit them. */
export type ProcessMark = Readonly<Record<typeof MARK, string>>;

const MARK = 'CTX_STARTED_AS';

export function createMark(): ProcessMark {
  return { [MARK]: randomUUID() };
}

/**
 * Sends a signal to the leader of a process group and its child processes: to the group and, on Linux, also to
 * processes that have left the group and still have its mark. Returns whether there was any.
 */
export function signalAll(pid: number, mark: ProcessMark, signal: NodeJS.Signals): boolean {
  const hasGroup = signalTree(pid, signal);
  let hasOthers = false;
  // A killed process may have started another one in the meantime.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const sent = marked(mark).filter((id) => send(id, signal));
    if (sent.length === 0) break;
    hasOthers = true;
    if (signal !== 'SIGKILL') break;
  }
  return hasGroup || hasOthers;
}

/** Sends a signal to a process group; on Windows, which has neither, ends a process and its child processes. */
export function signalTree(pid: number, signal: NodeJS.Signals, { platform, env }: System = process): boolean {
  if (platform !== 'win32') return send(-pid, signal);
  // A program of this name in the working directory would come first.
  const taskkill = path.join(env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', 'taskkill.exe');
  const run = spawnSync(taskkill, ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  return run.status === 0 || send(pid, signal);
}

type System = Pick<NodeJS.Process, 'platform' | 'env'>;

const MOST_ROUNDS = 20;

/** The running processes with a mark; none if the system does not report them. */
function marked(mark: ProcessMark): readonly number[] {
  if (process.platform !== 'linux') return [];
  const text = `${MARK}=${mark[MARK]}`;
  const ids = fs.readdirSync('/proc').map(Number);
  return ids.filter((id) => {
    if (!Number.isInteger(id) || id === process.pid) return false;
    // A process that has ended, or that belongs to another user, has no environment.
    return attempt(() => fs.readFileSync(`/proc/${id}/environ`, 'latin1'), '').includes(text);
  });
}

/** Returns false if it has ended. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  return attempt(() => process.kill(pid, signal), false);
}
