import { dirname, isAbsolute } from 'node:path';
import { CtxError } from '#base/errors.js';
import type { PreparedPrune } from '#change/prune/prepare.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { hasSameBytes } from '../new-session.js';

/** A file with the full text of a shortened result. */
interface SideFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * The side files that a prune names and that do not exist yet. Throws a CtxError (refused) if one has other contents.
 */
export async function findMissingSideFiles(io: Io, prune: PreparedPrune): Promise<readonly SideFile[]> {
  const missing: SideFile[] = [];
  for (const { spill } of prune.pruned.decisions) {
    if (!spill) continue;
    await refuseElsewhere(io, spill.name);
    const file = { name: spill.name, bytes: new TextEncoder().encode(spill.text) };
    if (!io.files.exists(file.name)) missing.push(file);
    else if (!(await hasSameBytes(io.files, file.name, toByteSource(file.bytes)))) {
      throw new CtxError('refused', 'a side file would replace something else', {
        where: file.name,
        hint: 'name another folder with --side-files',
      });
    }
  }
  return missing;
}

/**
 * Throws a CtxError (refused) for a file that seems to be below the working directory, but that a link takes elsewhere.
 */
async function refuseElsewhere({ files, cwd }: Io, name: string): Promise<void> {
  if (isAbsolute(name) || name.startsWith('..') || (await files.isWithin(name, cwd))) return;
  throw new CtxError('refused', 'a symbolic link takes this file out of the working directory', {
    where: name,
    hint: 'name the real folder: --side-files /PATH',
  });
}

export async function writeSideFiles(io: Io, files: readonly SideFile[]): Promise<void> {
  for (const { name, bytes } of files) {
    await io.files.makeFolder(dirname(name));
    await writeNewFile(io.files.createNew, name, bytes, { force: false, like: null });
  }
}
