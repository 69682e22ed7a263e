import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CtxError } from '#base/errors.js';

/** A file that grows for a while, for programs that want to read one. */
export interface TemporaryFile {
  readonly file: string;
  /** Throws a CtxError (refused) where it cannot. */
  append(bytes: Uint8Array): void;
  /** Takes it away. It goes with the process at the latest. */
  remove(): void;
}

/** Makes an empty file in a folder of its own. Throws a CtxError (refused) that says why that cannot be. */
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

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A folder for a while. */
export interface TemporaryFolder {
  readonly folder: string;
  removeFolder(): void;
}

/**
 * A folder that is removed when the process ends, whatever ends it, if not before. Throws what the file system throws
 * where none can be made.
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
      // With nobody watching, it ends the process as if it had not been caught.
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

/** A write that is under way may make its file anew when the folder was just emptied, a few times. */
const ATTEMPTS = 20;

function remove(folder: string): void {
  for (let attempt = 1; ; attempt++)
    try {
      return fs.rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
}
