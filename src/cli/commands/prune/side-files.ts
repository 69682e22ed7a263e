import path from 'node:path';
import { CtxError } from '#base/errors.js';
import type { Prepared } from '#change/prune/prepare.js';
import { writeWhole } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';

/** A file that holds in full what was shortened. */
interface SideFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The side files that a prune names and that are not there yet. Throws a CtxError (refused) where something else is. */
export async function missingSideFiles(io: Io, { pruned }: Prepared): Promise<readonly SideFile[]> {
  const missing: SideFile[] = [];
  for (const { spill } of pruned.decisions) {
    if (!spill) continue;
    const file = { name: spill.name, bytes: new TextEncoder().encode(spill.text) };
    if (!io.files.exists(file.name)) missing.push(file);
    else if (!(await isThere(io, file))) {
      throw new CtxError('refused', 'a side file would replace something else', {
        where: file.name,
        hint: 'name another folder with --side-files',
      });
    }
  }
  return missing;
}

async function isThere(io: Io, { name, bytes }: SideFile): Promise<boolean> {
  try {
    const source = await io.files.open(name);
    try {
      return source.size === bytes.length && Buffer.compare(source.read(0, source.size), bytes) === 0;
    } finally {
      source.close();
    }
  } catch (error) {
    // A folder, say.
    if (error instanceof CtxError) return false;
    throw error;
  }
}

export async function writeSideFiles(io: Io, files: readonly SideFile[]): Promise<void> {
  for (const { name, bytes } of files) {
    await io.files.makeFolder(path.dirname(name));
    await writeWhole(io.files.createNew, name, bytes, { force: false, like: null });
  }
}
