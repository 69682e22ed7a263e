import { lstatSync } from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { type ByteSource } from '#session/scan/byte-source.js';
import { findCompression, MAGIC_BYTES } from '#session/scan/compression.js';
import { buildReadAhead } from '#session/scan/read-ahead.js';
import { type Disk, type FileStat, type FileWorld, nodeDisk } from './disk.js';
import { holdSignals } from './signals.js';
import { buildRefusal, explainAppendErrors, type Refusal, toAppendError } from './write-errors.js';

/** A file that is locked by one program, to be appended to. Every method throws a CtxError (refused). */
export interface AppendFile {
  /** The name after resolving all symbolic links. */
  readonly name: string;
  look(): FileStat;
  /** Whether the name still leads to this file. */
  isInPlace(): boolean;
  /** The current state of the file. */
  source(): ByteSource;
  /** Appends in one write, and returns the number of bytes written. Nothing is on the disk yet. */
  append(bytes: Uint8Array): number;
  truncate(size: number): void;
  /** Waits until everything is on the disk. */
  flush(): void;
  /** The journal next to the file during a write; null if there is none. */
  journal(): Uint8Array | null;
  /** Stores the journal, and waits until it is on the disk; null removes it. */
  setJournal(bytes: Uint8Array | null): void;
  /** The other processes that have the file open, as far as the system reports them. */
  processes(): readonly number[];
  release(): Promise<void>;
}

interface AppendWorld extends FileWorld {
  readonly lock: typeof takeLock;
}

/**
 * Locks a file. Signals that terminate the process wait until the file is released. Throws a CtxError (refused) if
 * another program holds it, or it cannot be written.
 */
export async function openToAppend(
  file: string,
  { disk, lock, interrupts }: AppendWorld = { disk: nodeDisk, lock: takeLock, interrupts: process },
): Promise<AppendFile> {
  const name = explainAppendErrors(file, () => disk.resolve(file));
  const letSignalsGo = holdSignals(interrupts);
  let held: Lock | null = null;
  const release = async (): Promise<void> => {
    await held?.release();
    letSignalsGo();
  };
  try {
    const taken = await lock(name, file);
    held = taken;
    return explainAppendErrors(file, () => openAndLock({ name, file, held: taken, release }, disk));
  } catch (error) {
    await release();
    throw error;
  }
}

interface LockedFile {
  readonly name: string;
  /** The name that the user passed. */
  readonly file: string;
  readonly held: Lock;
  release(): Promise<void>;
}

function openAndLock({ name, file, held, release }: LockedFile, disk: Disk): AppendFile {
  const journalName = `${name}.ctx-journal`;
  const descriptor = disk.openToAppend(name);
  const look = (): FileStat => explainAppendErrors(file, () => disk.lookAt(descriptor));
  if (!look().isFile) {
    disk.close(descriptor);
    throw new CtxError('refused', 'this is a device or a pipe, not a file', { where: file, hint: 'pass a file' });
  }
  const source = (): ByteSource => toSource(descriptor, look().size, { file, disk });
  const compression = findCompression(source().read(0, Math.min(MAGIC_BYTES, look().size)));
  if (compression) {
    disk.close(descriptor);
    throw new CtxError('refused', 'the file is compressed', {
      where: file,
      hint: `write a copy with --output NEW.jsonl, or decompress it first: ${compression.byHand}`,
    });
  }
  return {
    name,
    look,
    isInPlace: () => disk.look(name)?.identity === look().identity,
    source,
    append(bytes) {
      held.check();
      return explainAppendErrors(file, () => disk.write(descriptor, bytes));
    },
    truncate: (size) => explainAppendErrors(file, () => disk.truncate(descriptor, size)),
    flush: () => explainAppendErrors(file, () => disk.flush(descriptor)),
    journal: () => explainAppendErrors(file, () => disk.readAll(journalName)),
    setJournal: (bytes) =>
      explainAppendErrors(file, () => (bytes ? buildAppendFile(journalName, bytes, disk) : disk.remove(journalName))),
    processes: () => disk.processesWith(name),
    async release() {
      disk.close(descriptor);
      await release();
    },
  };
}

function buildAppendFile(name: string, bytes: Uint8Array, disk: Disk): void {
  disk.remove(name);
  const descriptor = disk.create(name, 'private');
  try {
    for (let written = 0; written < bytes.length;) written += disk.write(descriptor, bytes.subarray(written));
    disk.flush(descriptor);
  } catch (error) {
    disk.remove(name);
    throw error;
  } finally {
    disk.close(descriptor);
  }
  disk.flushFolder(path.dirname(name));
}

function toSource(
  descriptor: number,
  size: number,
  { file, disk }: { readonly file: string; readonly disk: Disk },
): ByteSource {
  const readInto = (target: Uint8Array, start: number): void => {
    for (let filled = 0; filled < target.length;) {
      const count = explainAppendErrors(file, () => disk.readInto(descriptor, target.subarray(filled), start + filled));
      if (count === 0) throw buildRefusal(SHRUNK, file);
      filled += count;
    }
  };
  return { size, read: buildReadAhead(readInto, size), readInto, close: () => {} };
}

/** A lock that excludes other programs which use it from writing to a file. */
export interface Lock {
  /** Throws a CtxError (refused) if the lock expired, as happens to a process that was suspended for long. */
  check(): void;
  release(): Promise<void>;
}

/** Milliseconds after which a lock that was not renewed belongs to a dead process, as in Pi. */
const STALE_MILLISECONDS = 10_000;

/**
 * Node.js ignores this signal, so that the write fails with an error; the library of locks alone would end the process.
 */
const FILE_TOO_LARGE = 'SIGXFSZ';

const ignore = (): void => {};

/** Creates the folder `NAME.lock`, by which Pi and related programs see that the file is in use. */
export async function takeLock(name: string, file: string, reasons = REASONS): Promise<Lock> {
  const { lock } = (await import('proper-lockfile')).default;
  if (!process.listeners(FILE_TOO_LARGE).includes(ignore)) process.on(FILE_TOO_LARGE, ignore);
  let isLost = false;
  const onCompromised = (): void => {
    isLost = true;
  };
  try {
    const release = await lock(name, { realpath: false, stale: STALE_MILLISECONDS, retries: 0, onCompromised });
    return {
      check() {
        if (isLost) throw buildRefusal(reasons.lost, file);
      },
      async release() {
        if (!isLost) await release().catch(() => {});
      },
    };
  } catch (error) {
    if (isInTheWay(`${name}.lock`)) throw buildRefusal(reasons.inTheWay, `${name}.lock`);
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') throw buildRefusal(reasons.lockTaken, file);
    throw toAppendError(file, error);
  }
}

/** Whether another kind of file has the name of the lock. */
function isInTheWay(name: string): boolean {
  const stat = lstatSync(name, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isDirectory();
}

/** The reasons why a lock cannot be taken or kept. */
export interface LockReasons {
  /** Another kind of file has the name of the lock. */
  readonly inTheWay: Refusal;
  readonly lockTaken: Refusal;
  /** Others may take a lock that was not renewed. */
  readonly lost: Refusal;
}

const SHRUNK: Refusal = {
  what: 'the file shrank while it was being read; nothing was written',
  hint: 'run the command again',
};

const REASONS: LockReasons = {
  inTheWay: {
    what: 'this file is in place of the lock folder',
    hint: 'move it away, or write a copy with --output NEW.jsonl',
  },
  lockTaken: {
    what: 'another program is writing to this session',
    hint: 'wait until it has finished; the lock of a killed program expires after ten seconds',
  },
  lost: {
    what: 'the lock expired while the command was suspended; nothing was written',
    hint: 'run the command again',
  },
};
