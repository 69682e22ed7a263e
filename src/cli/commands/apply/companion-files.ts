import path from 'node:path';
import type { Files } from '#platform/files/files.js';
import type { CompanionFiles } from '#session/agents/copy.js';

/** The files that belong to a session and are beside it, by their names in a folder. */
export interface Companions {
  readonly folder: string;
  readonly names: readonly string[];
}

/** Finds the files beside a session, such as those of its subagents. */
export function findCompanions(files: Files, kept: CompanionFiles | null, file: string): Companions {
  const folder = kept?.folderOf(file) ?? null;
  return folder === null ? { folder: '', names: [] } : { folder, names: [...listFiles(files, folder, '', 0)] };
}

function* listFiles(files: Files, folder: string, below: string, depth: number): Generator<string> {
  // A symbolic link may lead to a folder above it.
  if (depth > DEEPEST) return;
  for (const name of files.list(path.join(folder, below)).toSorted()) {
    const inner = path.join(below, name);
    if (files.modified(path.join(folder, inner)) > 0) yield inner;
    else yield* listFiles(files, folder, inner, depth + 1);
  }
}

const DEEPEST = 8;

/** A copy of the files beside a session. */
interface CompanionCopy {
  readonly to: string;
  /** The session whose permissions they get. */
  readonly like: string;
  convert(name: string, content: Uint8Array): Uint8Array;
}

/** Copies the files beside a session, one by one. Returns a function that removes the copies. */
export async function copyCompanions(
  files: Files,
  { folder, names }: Companions,
  { to, like, convert }: CompanionCopy,
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
