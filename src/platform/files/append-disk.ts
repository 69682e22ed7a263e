import fs from 'node:fs';
import { type Disk, nodeDisk } from './disk.js';

/** What is asked of a file system to append to a file; everything throws with a `code`. */
export interface AppendDisk extends Disk {
  /** Opens a file that is there, for reading and for writing at its end. */
  openToAppend(file: string): number;
  lookAt(descriptor: number): LookedAt;
  /** Reads from `start` on and gives the number of bytes, 0 at the end of the file. */
  readInto(descriptor: number, target: Uint8Array, start: number): number;
  truncate(descriptor: number, size: number): void;
  /** All of a small file; null where there is none. */
  readAll(file: string): Uint8Array | null;
  /** The other processes that have the file open, as far as the system tells. */
  processesWith(file: string): readonly number[];
}

export interface LookedAt {
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** The same for two names of one file. */
  readonly identity: string;
  readonly isFile: boolean;
}

export const nodeAppendDisk: AppendDisk = {
  ...nodeDisk,
  // Without O_CREAT: a file that is gone is not made again.
  openToAppend: (file) => fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_APPEND),
  lookAt(descriptor) {
    const stat = fs.fstatSync(descriptor, { bigint: true });
    return {
      size: Number(stat.size),
      modified: Number(stat.mtimeMs),
      identity: `${stat.dev}:${stat.ino}`,
      isFile: stat.isFile(),
    };
  },
  readInto: (descriptor, target, start) => fs.readSync(descriptor, target, 0, target.length, start),
  truncate: (descriptor, size) => fs.ftruncateSync(descriptor, size),
  readAll(file) {
    try {
      // Whoever waits for a pipe to be written to waits forever.
      if (!fs.statSync(file).isFile()) throw Object.assign(new Error('this is no file'), { code: 'EINVAL' });
      return fs.readFileSync(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  },
  processesWith: openIn,
};

/** The other processes that have a file open, whichever of its names is given. */
export function processesWith(file: string): readonly number[] {
  return fs.existsSync(file) ? openIn(fs.realpathSync(file)) : [];
}

/** Only Linux tells, and only of processes of the same user. */
function openIn(file: string): readonly number[] {
  const processes = namesIn('/proc')
    .map(Number)
    .filter((id) => Number.isInteger(id) && id !== process.pid);
  return processes.filter((id) => namesIn(`/proc/${id}/fd`).some((name) => leadsTo(`/proc/${id}/fd/${name}`, file)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function leadsTo(link: string, file: string): boolean {
  try {
    return fs.readlinkSync(link) === file;
  } catch {
    return false;
  }
}
