import fs from 'node:fs';
import { attempt } from '#base/errors.js';
import { resolveLinks } from './links.js';
import { findOpenProcesses } from './open-files.js';
import type { Interrupts } from './signals.js';

/** The file system functions for writing; as in `node:fs`, each throws with a `code`. Replaced in tests. */
export interface Disk {
  /** Opens a file that must not exist yet. */
  create(file: string, access: 'private' | 'usual'): number;
  /** Returns the number of bytes written. */
  write(descriptor: number, bytes: Uint8Array): number;
  setMode(descriptor: number, mode: number): void;
  /** Waits until everything written is on the disk. */
  flush(descriptor: number): void;
  close(descriptor: number): void;
  /** Gives a file a second name, if that name is free. */
  link(file: string, name: string): void;
  /** Renames a file, and replaces any file of that name. */
  rename(file: string, name: string): void;
  remove(file: string): void;
  /** Waits until the names in a folder are on the disk, if the system supports that. */
  flushFolder(folder: string): void;
  /** null if nothing exists. Follows symbolic links. */
  look(file: string): FileStat | null;
  /** The name after resolving all symbolic links. The last one may be broken. */
  resolve(file: string): string;
  /** Opens an existing file for reading and appending. */
  openToAppend(file: string): number;
  lookAt(descriptor: number): FileStat;
  /** Reads from `start` on and returns the number of bytes, 0 at the end of the file. */
  readInto(descriptor: number, target: Uint8Array, start: number): number;
  truncate(descriptor: number, size: number): void;
  /** The content of a small file; null if it does not exist. */
  readAll(file: string): Uint8Array | null;
  /** The other processes that have the file open, as far as the system reports them. */
  processesWith(file: string): readonly number[];
}

export interface FileStat {
  readonly isFile: boolean;
  readonly isFolder: boolean;
  /** The permissions. */
  readonly mode: number;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Equal for two names of one file. */
  readonly identity: string;
}

/** The disk, and the signals that interrupt writes; replaced in tests. */
export interface FileWorld {
  readonly disk: Disk;
  readonly interrupts: Interrupts;
}

export const nodeDisk: Disk = {
  create: (file, access) => fs.openSync(file, 'wx', access === 'private' ? 0o600 : 0o666),
  write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  setMode: (descriptor, mode) => fs.fchmodSync(descriptor, mode),
  flush: (descriptor) => fs.fsyncSync(descriptor),
  close: (descriptor) => fs.closeSync(descriptor),
  link: (file, name) => fs.linkSync(file, name),
  rename: (file, name) => fs.renameSync(file, name),
  remove: (file) => fs.rmSync(file, { force: true }),
  flushFolder(folder) {
    // Some systems do not support this: the file exists anyway, and only a system crash could lose it.
    const descriptor = attempt(() => fs.openSync(folder, 'r'), null);
    if (descriptor === null) return;
    attempt(() => fs.fsyncSync(descriptor), undefined);
    fs.closeSync(descriptor);
  },
  look(file) {
    const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat ? toFileStat(stat) : null;
  },
  resolve: resolveLinks,
  // Without O_CREAT: a removed file is not created again.
  openToAppend: (file) => fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_APPEND),
  lookAt: (descriptor) => toFileStat(fs.fstatSync(descriptor, { bigint: true })),
  readInto: (descriptor, target, start) => fs.readSync(descriptor, target, 0, target.length, start),
  truncate: (descriptor, size) => fs.ftruncateSync(descriptor, size),
  readAll(file) {
    try {
      // Opening a pipe without a writer would block forever.
      if (!fs.statSync(file).isFile()) throw Object.assign(new Error('not a file'), { code: 'EINVAL' });
      return fs.readFileSync(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  },
  processesWith: findOpenProcesses,
};

function toFileStat(stat: fs.BigIntStats): FileStat {
  return {
    isFile: stat.isFile(),
    isFolder: stat.isDirectory(),
    mode: Number(stat.mode) & 0o777,
    size: Number(stat.size),
    modified: Number(stat.mtimeMs),
    identity: `${stat.dev}:${stat.ino}`,
  };
}
