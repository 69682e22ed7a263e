import { type ChildProcess, fork, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { once } from '#base/memoize.js';
import type { CallOptions, Plugin, PluginStart } from '#platform/plugin.js';
import { createMark, type ProcessMark, signalAll } from '#platform/process-tree.js';
import { PluginFailure } from './failure.js';
import { logLines } from './log-lines.js';
import { PluginRpc } from './rpc.js';

/** The program file, next to the bundle. */
const PROGRAM = new URL('plugin.js', import.meta.url);

/** The time in milliseconds for it to end, or for its output to arrive. */
const GRACE = 1000;

/**
 * Starts a module of the user. Nothing is shared with it: it communicates in JSON, and its output is passed on
 * as lines. Rejects with a PluginFailure if it cannot be loaded.
 */
export async function startPlugin(start: PluginStart, program: URL = PROGRAM): Promise<Plugin> {
  const mark = createMark();
  const child = forkMarked(program, mark);
  logLines([child.stdout, child.stderr], (line) => start.onLog(line));
  const ended = awaitEnd(child, { mark, onLog: start.onLog });
  const ready = Promise.race([new Promise((resolve) => child.once('message', resolve)), ended]);
  const rpc = new PluginRpc(child, {
    handlers: start.handlers ?? {},
    signal: start.signal,
    end: () => void endAll(child, mark),
    onSlow: once(() => guardAgainstOrphan(child)),
  });
  const watchesInput = start.onChangedInput !== undefined;
  const plugin = {
    call: (method: string, given: readonly unknown[], options: CallOptions) => {
      const { timeLimit, places = [], keeps = [], sentOnce = [] } = options;
      const { args, remade } = rpc.prepare(given, sentOnce);
      const call = { type: 'call', method, args, places: [...places, ...remade], keeps, watchesInput } as const;
      return rpc.ask((id) => ({ ...call, id }), { timeLimit, onChangedInput: () => start.onChangedInput?.(method) });
    },
    isOver: () => rpc.isOver,
    close: () => closeProgram(child, { rpc, ended, mark }),
  };
  try {
    const { file, kind, timeLimit } = start;
    await ready;
    const loaded = await rpc.ask(() => ({ type: 'load', file, kind }), { timeLimit });
    return { ...plugin, loaded };
  } catch (error) {
    await plugin.close();
    throw error instanceof PluginFailure && error.kind === 'exited'
      ? new PluginFailure('not-loaded', error.message, error.pluginStack)
      : error;
  }
}

function forkMarked(program: URL, mark: ProcessMark): ChildProcess {
  return fork(fileURLToPath(program), {
    env: { ...process.env, ...mark },
    // A process group of its own lets the program end the child's own child processes too.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    execArgv: process.execArgv.filter((word) => !word.startsWith('--inspect')),
  });
}

/**
 * Starts a shell that ends a busy program with its group when this process is gone, which the program itself could not
 * notice: the shell reads a pipe that then closes.
 */
function guardAgainstOrphan(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || process.platform === 'win32') return;
  const script = 'read -r line; kill -9 "-$1"; kill -9 "$1"';
  const shell = spawn('sh', ['-c', script, 'sh', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // The program also runs where no shell can be started.
  for (const each of [shell, shell.stdin]) each?.on('error', () => {});
  shell.unref();
  child.once('exit', () => shell.kill('SIGKILL'));
}

/** Resolves when a process has ended with all its child processes. */
async function awaitEnd(
  child: ChildProcess,
  { mark, onLog }: Pick<PluginStart, 'onLog'> & { readonly mark: ProcessMark },
): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once('exit', (_, signal) => {
      const hasLeftSome = endAll(child, mark);
      // Report the child processes that had to be ended.
      if (hasLeftSome && signal === null) onLog('… child processes that were still running have been ended');
      resolve();
    });
    // The process could not be started.
    child.once('error', () => resolve());
  });
}

/** Asks a program to end, and ends it if it does not. Resolves when its output has arrived. */
async function closeProgram(
  child: ChildProcess,
  { rpc, ended, mark }: { readonly rpc: PluginRpc; readonly ended: Promise<void>; readonly mark: ProcessMark },
): Promise<void> {
  rpc.send({ type: 'close' });
  const timer = setTimeout(() => endAll(child, mark), GRACE);
  await ended;
  clearTimeout(timer);

  const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null);
  // An escaped child process may hold them open.
  const late = setTimeout(() => {
    for (const stream of outputs) stream.destroy();
  }, GRACE);
  await Promise.all(outputs.map(awaitClosed));
  clearTimeout(late);
}

async function awaitClosed(stream: Readable): Promise<void> {
  if (stream.readableEnded) return;
  await new Promise<void>((resolve) => {
    stream.once('close', () => resolve());
  });
}

/** Ends a program and its child processes. Returns false if all of them had ended by themselves. */
function endAll({ pid }: ChildProcess, mark: ProcessMark): boolean {
  return pid !== undefined && signalAll(pid, mark, 'SIGKILL');
}
