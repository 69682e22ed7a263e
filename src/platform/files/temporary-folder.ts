import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

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
