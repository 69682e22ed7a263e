import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SIGNALS } from './signals.js';

export interface TemporaryFolder {
  readonly folder: string;
  /** Removes it with what it contains. Throws the error of the file system if it cannot. */
  removeFolder(): void;
}

/**
 * Creates a folder that is removed when the process ends for any reason, if not before. Throws the error of the
 * file system if it cannot.
 */
export function createTemporaryFolder(prefix: string): TemporaryFolder {
  /** Empty until the folder is there. */
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
  // Before there is a folder: a signal without a listener ends the process at once, and would leave the folder.
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
  for (let attempt = 1; ; attempt += 1) {
    try {
      return fs.rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
