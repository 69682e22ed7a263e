import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { type ConfigFlags, readConfig, refuseUntrusted, resolveConfigName } from '#cli/config/read-config.js';
import { listAgentFolders } from '#cli/sessions/agent-folders.js';
import { isBelow } from '#cli/sessions/folders.js';
import type { Io } from '#platform/io.js';

/**
 * The folder of the archive: that of `--to`, else that of the configuration, else the one in the user's data. Throws a
 * CtxError: usage for the folder of an agent, and for a configuration that the user has not allowed to name it.
 */
export async function chooseArchiveFolder(io: Io, to: string | undefined, flags: ConfigFlags): Promise<string> {
  const folder = path.resolve(io.cwd || '/', to ?? (await findConfiguredFolder(io, flags)) ?? findOwnFolder(io));
  const agent = listAgentFolders(io).find((one) => isBelow(path.join(folder, 'any'), path.resolve(one.folder)));
  if (!agent) return folder;
  throw new CtxError('usage', 'an agent keeps its sessions there, and would take the copies for its own', {
    where: folder,
    hint: 'choose another folder: --to DIR',
  });
}

async function findConfiguredFolder(io: Io, flags: ConfigFlags): Promise<string | null> {
  const read = await readConfig(io, flags);
  const { archive } = read.config;
  if (archive === undefined) return null;
  refuseUntrusted(read, '"archive" names the folder to which sessions are copied');
  return resolveConfigName(read.file, io, archive);
}

function findOwnFolder(io: Io): string {
  const folder = io.dataFolder();
  if (folder !== null) return path.join(folder, 'archive');
  throw new CtxError('input', 'the home folder is unknown, so the folder of the archive is too', {
    where: '$HOME',
    hint: 'set HOME, or name a folder: --to DIR',
  });
}
