import { basename, dirname, join } from 'node:path';
import { baseName } from '#base/paths.js';
import { type OpenSession, openSession } from '#context/open.js';
import type { DriveOptions } from '#lab/drive/drive-options.js';
import type { HostValues } from '#lab/drive/host-values.js';
import { readSpawn } from '#lab/drive/spawn.js';
import type { Files } from '#platform/files/files.js';
import type { Head } from '#session/heads/head.js';
import { toContentName } from '#session/scan/compression.js';
import { peekSession } from '#session/scan/peek.js';

const BEGINNING_BYTES = 65_536;

/** Loads the sessions in the folder of a session that name it as their parent, as subagents that it started. */
export function loadSubagents(
  files: Files,
  {
    session,
    path: heads,
    host,
  }: { readonly session: OpenSession; readonly path: readonly Head[]; readonly host: HostValues },
): DriveOptions['children'] {
  if (session.file === '-') return undefined;
  return async () => {
    const children = await Promise.all(listChildFiles(files, session).map(async (file) => openSession(file, files)));
    return children.map((child) => readSpawn({ session, path: heads }, child, host));
  };
}

function listChildFiles(files: Files, { file }: OpenSession): readonly string[] {
  const folder = dirname(file);
  // Sessions are moved and copied, but keep the names of their files.
  const isChild = (name: string): boolean => {
    const header = toContentName(name).endsWith('.jsonl')
      ? peekSession(files.beginning(join(folder, name), BEGINNING_BYTES), false)
      : null;
    return (
      header !== null &&
      header !== 'no-session' &&
      baseName(header.parentSession ?? '') === basename(toContentName(file))
    );
  };
  return files
    .list(folder)
    .filter(isChild)
    .toSorted()
    .map((name) => join(folder, name));
}
