import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { SIGNALS } from '../signals.js';

/** A growing temporary file, for programs that need a file to read. */
export interface TemporaryFile {
  readonly file: string;
  /** Appends bytes. Throws a CtxError (refused) if it cannot. */
  append(bytes: Uint8Array): void;
  /** Removes the file. It is removed with the process at the latest. */
  remove(): void;
}

/** Creates an empty file in its own folder. Throws a CtxError (refused) with the reason if it cannot. */
export function createTemporary(name: string): TemporaryFile {
  const { folder, removeFolder } = trying(() => temporaryFolder('ctx-'));
  const file = path.join(folder, name);
  const descriptor = trying(() => fs.openSync(file, 'wx', 0o600));
  return {
    file,
    append: (bytes) => trying(() => write(descriptor, bytes)),
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

/** A temporary folder. */
export interface TemporaryFolder {
  readonly folder: string;
  removeFolder(): void;
}

/**
 * Creates a folder that is removed when the process ends for any reason, if not before. Throws the error of the
 * file system if it cannot.
 */
export function temporaryFolder(prefix: string): TemporaryFolder {
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
  for (let attempt = 1; ; attempt++)
    try {
      return fs.rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
}
