import path from 'node:path';
import type { Files } from '#platform/files/files.js';
import { ANY_NAME } from '#platform/files/walk-folder.js';

/** The files that belong to a session, such as those of its subagents, by their names in a folder. */
export interface SideFiles {
  readonly folder: string;
  readonly names: readonly string[];
}

/** Lists the files in a folder, in order. Links are not followed: a session may come from someone else. */
export function listSideFiles(files: Files, folder: string): SideFiles {
  const found = files.walk(folder, { pattern: ANY_NAME, withoutLinks: true }).files;
  return { folder, names: found.map(({ file }) => path.relative(folder, file)).toSorted() };
}

/** A copy of the files that belong to a session. */
interface SideFileCopy {
  readonly to: string;
  /** The session whose permissions they get. */
  readonly like: string;
  convert(name: string, content: Uint8Array): Uint8Array;
}

/** Copies the files that belong to a session, one by one. Returns a function that removes the copies. */
export async function copySideFiles(
  files: Files,
  { folder, names }: SideFiles,
  { to, like, convert }: SideFileCopy,
): Promise<() => void> {
  const undo: (() => void)[] = [];
  const undoAll = (): void => {
    for (const each of undo.toReversed()) each();
  };
  try {
    for (const name of names) {
      const target = path.join(to, name);
      undo.push(await files.makeFolder(path.dirname(target)));
      const content = convert(name, await readWhole(files, path.join(folder, name)));
      const made = await files.createNew(target, { force: false, like });
      undo.push(() => made.abandon());
      await made.write(content);
      made.commit();
    }
  } catch (error) {
    undoAll();
    throw error;
  }
  return undoAll;
}

async function readWhole(files: Files, file: string): Promise<Uint8Array> {
  const source = await files.open(file);
  try {
    return Uint8Array.from(source.read(0, source.size));
  } finally {
    source.close();
  }
}
