import fs from 'node:fs';
import path from 'node:path';
import { CtxError } from '../errors.js';

/**
 * Makes a folder, and those above it, where there is none. Gives what removes those that it made, as far as they are
 * empty. Throws a CtxError (refused) that says why that cannot be.
 */
export function makeFolder(folder: string): () => void {
  try {
    const first = fs.mkdirSync(folder, { recursive: true });
    return () => (first === undefined ? undefined : removeEmpty(path.resolve(folder), path.resolve(first)));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CtxError('refused', `the folder cannot be made (${code})`, { where: folder, hint: 'name another one' });
  }
}

/** Removes a folder, and those above it up to `last`, until one holds something. */
function removeEmpty(folder: string, last: string): void {
  try {
    fs.rmdirSync(folder);
    if (folder !== last) removeEmpty(path.dirname(folder), last);
  } catch {
    // Somebody has put something there.
  }
}
