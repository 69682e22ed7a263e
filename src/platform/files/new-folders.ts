import fs from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its missing parents, and yields each that it creates, the outermost first. One by one: Node's
 * `recursive` never returns if a file system such as /proc reports that the parent of a new name does not exist. Throws
 * the error of the file system.
 */
export function* newFolders(folder: string, mode?: number): Generator<string> {
  for (const missing of missingFolders(path.resolve(folder))) if (isNew(missing, mode)) yield missing;
}

function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  const { root } = path.parse(folder);
  for (let at = folder; at !== root && !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at);
  return missing.length === 0 ? [folder] : missing;
}

/** Returns false if the folder exists or another program created it in the meantime. */
function isNew(folder: string, mode: number | undefined): boolean {
  try {
    fs.mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && fs.statSync(folder).isDirectory()) return false;
    throw error;
  }
}
