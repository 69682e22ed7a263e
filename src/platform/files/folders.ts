import fs from 'node:fs';
import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';

/**
 * Creates a folder and its missing parents. Returns a function that removes the created folders if they are
 * empty. Throws a CtxError (refused) with the reason if it cannot.
 */
export function makeFolder(folder: string): () => void {
  const made: string[] = [];
  try {
    for (const each of createFolders(folder)) made.unshift(each);
  } catch (error) {
    removeEmpty(made);
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CtxError('refused', `cannot create the folder (${code})`, {
      where: folder,
      hint: 'choose another folder',
    });
  }
  return () => removeEmpty(made);
}

/** Removes folders, the innermost first, until one is not empty. */
function removeEmpty(folders: readonly string[]): void {
  // Another program may have created a file there.
  attempt(() => folders.forEach((folder) => fs.rmdirSync(folder)), undefined);
}

/**
 * Creates a folder and its missing parents, and yields each that it creates, the outermost first. One by one: Node's
 * `recursive` never returns if a file system such as /proc reports that the parent of a new name does not exist. Throws
 * the error of the file system.
 */
export function* createFolders(folder: string, mode?: number): Generator<string> {
  for (const missing of listMissingFolders(path.resolve(folder))) {
    if (createMissing(missing, mode)) yield missing;
  }
}

function listMissingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  const { root } = path.parse(folder);
  for (let at = folder; at !== root && !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at);
  return missing.length === 0 ? [folder] : missing;
}

/** Creates a folder. Returns false if it exists, or another program created it in the meantime. */
function createMissing(folder: string, mode: number | undefined): boolean {
  try {
    fs.mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && fs.statSync(folder).isDirectory()) return false;
    throw error;
  }
}
