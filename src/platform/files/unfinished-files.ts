import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { attempt } from '#base/errors.js';
import { listNames } from './peek-file.js';

/**
 * Makes a name for a file that is being written. The name contains the process, so that a later process can tell
 * whether it has ended.
 */
export function buildUnfinishedName(): string {
  return `.ctx-${findMachine()}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
}

const UNFINISHED = /^\.ctx-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}\.tmp$/;

/** The folders that this process has looked through: a command may write thousands of files to one. */
const seen = new Set<string>();

/** Removes the unfinished files in a folder whose processes ran on this machine and have ended, as after kill -9. */
export function removeAbandoned(folder: string): void {
  if (seen.has(folder)) return;
  seen.add(folder);
  for (const name of listNames(folder)) {
    const [, itsMachine, itsProcess] = UNFINISHED.exec(name) ?? [];
    if (itsMachine !== findMachine() || isRunning(Number(itsProcess))) continue;
    // It is not needed to write the new file.
    attempt(() => fs.rmSync(path.join(folder, name), { force: true }), undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

let machineId: string | undefined;

/**
 * Identifies the processes among which this one has its number: those of the machine since it started, or of its
 * container. Machines that share a folder may have one name, so the name alone does not tell them apart.
 */
function findMachine(): string {
  return (machineId ??= createHash('sha256').update(`${os.hostname()} ${readStart()}`).digest('hex').slice(0, 8));
}

/** Identifies this start of the machine on Linux; elsewhere it is empty. */
function readStart(): string {
  return attempt(() => {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    return `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
  }, '');
}
