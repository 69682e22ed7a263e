import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { attempt } from '#base/errors.js';

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
    const sent = listMarked(mark).filter((id) => send(id, signal));
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
  const taskkill = path.join(env.SystemRoot ?? String.raw`C:\Windows`, 'System32', 'taskkill.exe');
  const run = spawnSync(taskkill, ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  return run.status === 0 || send(pid, signal);
}

type System = Pick<NodeJS.Process, 'platform' | 'env'>;

const MOST_ROUNDS = 20;

/** The running processes with a mark; none if the system does not report them. */
function listMarked(mark: ProcessMark): readonly number[] {
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
