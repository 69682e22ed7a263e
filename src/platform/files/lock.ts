import { lstatSync } from 'node:fs';
import { CtxError } from '#base/errors.js';
import { refusalToAppend } from './refusal.js';

/** A lock that excludes other programs which use it from writing to a file. */
export interface Lock {
  /** Throws a CtxError (refused) if the lock expired, as happens to a process that was suspended for long. */
  check(): void;
  release(): Promise<void>;
}

/** Milliseconds after which a lock that was not renewed belongs to a dead process, as in Pi. */
const STALE_MILLISECONDS = 10_000;

/** Creates the folder `NAME.lock`, which tells Pi and related programs that the file is in use. */
export async function takeLock(name: string, file: string): Promise<Lock> {
  const { lock } = (await import('proper-lockfile')).default;
  let isLost = false;
  const onCompromised = (): void => {
    isLost = true;
  };
  try {
    const release = await lock(name, { realpath: false, stale: STALE_MILLISECONDS, retries: 0, onCompromised });
    return {
      check() {
        if (isLost) throw lost(file);
      },
      async release() {
        if (!isLost) await release().catch(() => {});
      },
    };
  } catch (error) {
    if (isInTheWay(`${name}.lock`)) throw inTheWay(`${name}.lock`);
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') throw taken(file);
    throw refusalToAppend(file, error);
  }
}

/** Whether another kind of file has the name of the lock. */
function isInTheWay(name: string): boolean {
  const stat = lstatSync(name, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isDirectory();
}

function inTheWay(name: string): CtxError {
  return new CtxError('refused', 'this file is in place of the lock folder', {
    where: name,
    hint: 'move it away, or write a copy with --output NEW.jsonl',
  });
}

function taken(file: string): CtxError {
  return new CtxError('refused', 'another program is writing to this session', {
    where: file,
    hint: 'wait until it has finished; the lock of a killed program expires after ten seconds',
  });
}

function lost(file: string): CtxError {
  return new CtxError('refused', 'the lock expired while the command was suspended; nothing was written', {
    where: file,
    hint: 'run the command again',
  });
}
