import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { temporaryFolder } from './temporary-folder.js';

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
    throw new CtxError('refused', `a temporary file cannot be written (${code})`, {
      where: os.tmpdir(),
      hint: 'free some space, or name another folder by TMPDIR',
    });
  }
}
