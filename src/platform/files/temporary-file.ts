import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import { SIGNALS } from './disk.js';
import { listNames } from './walk-folder.js';

/** A growing temporary file, for programs that need a file to read. */
export interface TemporaryFile {
  readonly file: string;
  /** Appends bytes. Throws a CtxError (refused) if it cannot. */
  append(bytes: Uint8Array): void;
  /** Whether it contains what was appended, and nothing else. `how`: by its size, or by its content too. */
  isAsWritten(how: 'size' | 'content'): boolean;
  /** Removes the file. It is removed with the process at the latest. */
  remove(): void;
}

/** Creates an empty file in its own folder. Throws a CtxError (refused) with the reason if it cannot. */
export function createTemporaryFile(name: string): TemporaryFile {
  const { folder, removeFolder } = trying(() => createTemporaryFolder('ctx-'));
  const file = path.join(folder, name);
  const descriptor = trying(() => fs.openSync(file, 'wx', 0o600));
  const hash = createHash('sha256');
  let size = 0;
  return {
    file,
    append(bytes) {
      trying(() => write(descriptor, bytes));
      hash.update(bytes);
      size += bytes.length;
    },
    isAsWritten(how) {
      if (attempt(() => fs.statSync(file).size, -1) !== size) return false;
      if (how === 'size') return true;
      const found = attempt(() => createHash('sha256').update(fs.readFileSync(file)).digest('hex'), '');
      return found === hash.copy().digest('hex');
    },
    remove() {
      fs.closeSync(descriptor);
      removeFolder();
    },
  };
}

function write(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += fs.writeSync(descriptor, bytes, at);
}

function trying<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new CtxError('refused', `cannot write a temporary file (${code})`, {
      where: os.tmpdir(),
      hint: 'free some disk space, or set TMPDIR to another folder',
    });
  }
}

export interface TemporaryFolder {
  readonly folder: string;
  removeFolder(): void;
}

/**
 * Creates a folder that is removed when the process ends for any reason, if not before. Throws the error of the
 * file system if it cannot.
 */
export function createTemporaryFolder(prefix: string): TemporaryFolder {
  let folder = '';
  const removeFolder = (): void => {
    process.off('exit', removeFolder);
    for (const signal of SIGNALS) process.off(signal, interrupt);
    if (folder !== '') remove(folder);
  };
  const interrupt = (signal: NodeJS.Signals): void => {
    try {
      removeFolder();
    } finally {
      // If there is no other listener, it terminates the process as if it had not been caught.
      process.kill(process.pid, signal);
    }
  };
  process.on('exit', removeFolder);
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
  } catch (error) {
    removeFolder();
    throw error;
  }
  return { folder, removeFolder };
}

/** A write in progress may create its file again after the folder was emptied, so removing is tried several times. */
const ATTEMPTS = 20;

function remove(folder: string): void {
  for (let attempts = 1; ; attempts++)
    try {
      return fs.rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempts === ATTEMPTS) throw error;
    }
}

/** A name for a file that is being written. It names the process, so that a later one can tell whether that has ended. */
export function buildUnfinishedName(): string {
  return `.ctx-${machine()}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
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
    if (itsMachine !== machine() || isRunning(Number(itsProcess))) continue;
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

let known: string | undefined;

/**
 * Identifies the processes among which this one has its number: those of the machine since it started, or of its
 * container. Machines that share a folder may have one name, so the name alone does not tell them apart.
 */
function machine(): string {
  return (known ??= createHash('sha256').update(`${os.hostname()} ${started()}`).digest('hex').slice(0, 8));
}

/** Identifies this start of the machine on Linux; elsewhere it is empty. */
function started(): string {
  return attempt(() => {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    return `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
  }, '');
}
