import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SIGNALS } from './signals.js';

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
