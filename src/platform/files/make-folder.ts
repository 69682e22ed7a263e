import fs from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';

/**
 * Makes a folder, and those above it, where there is none. Gives what removes those that it made, as far as they are
 * empty. Throws a CtxError (refused) that says why that cannot be.
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
 * The folders that a path lacks, the outermost first. They are made one by one: Node's `recursive` never returns where
 * a file system such as /proc says of a new name that its folder does not exist.
 */
function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  const { root } = path.parse(folder);
  for (let at = folder; at !== root && !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at);
  return missing.length === 0 ? [folder] : missing;
}

/** false: another program made it meanwhile, or it was there. */
function makeOne(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && fs.statSync(folder).isDirectory()) return false;
    throw error;
  }
}

/** Removes folders, the innermost first, until one holds something. */
function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) fs.rmdirSync(folder);
  } catch {
    // Another program has put a file there.
  }
}
