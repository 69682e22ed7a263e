import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import { createTemporaryFolder } from './temporary-folder.js';

/** A growing temporary file, for programs that need a file to read. */
export interface TemporaryFile {
  readonly file: string;
  /** Appends bytes. Throws a CtxError (refused) if it cannot. */
  append(bytes: Uint8Array): void;
  /** Whether it contains what was appended, and nothing else. `how`: by its size, or by its content too. */
  isAsWritten(how: 'size' | 'content'): boolean;
  /** Removes the file. It is removed with the process at the latest. */
  remove(): void;
}

/** Creates an empty file in its own folder. Throws a CtxError (refused) with the reason if it cannot. */
export function createTemporaryFile(name: string): TemporaryFile {
  const { folder, removeFolder } = refuseFailure(() => createTemporaryFolder('ctx-'));
  const file = path.join(folder, name);
  const descriptor = refuseFailure(() => fs.openSync(file, 'wx', 0o600));
  const hash = createHash('sha256');
  let size = 0;
  return {
    file,
    append(bytes) {
      refuseFailure(() => write(descriptor, bytes));
      hash.update(bytes);
      size += bytes.length;
    },
    isAsWritten(how) {
      if (attempt(() => fs.statSync(file).size, -1) !== size) return false;
      if (how === 'size') return true;
      const found = attempt(() => createHash('sha256').update(fs.readFileSync(file)).digest('hex'), '');
      return found === hash.copy().digest('hex');
    },
    remove() {
      fs.closeSync(descriptor);
      removeFolder();
    },
  };
}

function write(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += fs.writeSync(descriptor, bytes, at);
}

function refuseFailure<Value>(work: () => Value): Value {
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
