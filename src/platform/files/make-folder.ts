import fs from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';

/**
 * Creates a folder and its missing parents. Returns a function that removes the created folders if they are
 * empty. Throws a CtxError (refused) with the reason if it cannot.
 */
export function makeFolder(folder: string): () => void {
  const made: string[] = [];
  try {
    for (const missing of missingFolders(path.resolve(folder))) if (makeOne(missing)) made.unshift(missing);
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

/**
 * The missing folders of a path, the outermost first. They are created one by one: Node's `recursive` never returns
 * if a file system such as /proc reports that the parent of a new name does not exist.
 */
function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  const { root } = path.parse(folder);
  for (let at = folder; at !== root && !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at);
  return missing.length === 0 ? [folder] : missing;
}

/** Returns false if the folder exists or another program created it in the meantime. */
function makeOne(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && fs.statSync(folder).isDirectory()) return false;
    throw error;
  }
}

/** Removes folders, the innermost first, until one is not empty. */
function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) fs.rmdirSync(folder);
  } catch {
    // Another program has created a file there.
  }
}
