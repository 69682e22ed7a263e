import { CtxError } from '#base/errors.js';
import type { Files } from './files.js';

/** The folder, or the database, in which an agent keeps its sessions. */
export interface AgentPlace {
  readonly title: string;
  readonly folder: string;
}

/**
 * Returns files that refuse to replace any file in a folder of another agent, even with force. New files may be created
 * there.
 */
export function keepAgentFiles(files: Files, listPlaces: () => Promise<readonly AgentPlace[]>): Files {
  return {
    ...files,
    async createNew(file, options) {
      if (options.force && files.exists(file))
        for (const { title, folder } of await listPlaces())
          if (await files.isWithin(file, folder)) throw buildKeptError(file, title);
      return files.createNew(file, options);
    },
  };
}

function buildKeptError(file: string, title: string): CtxError {
  return new CtxError('refused', `${title} keeps its sessions there, and ctx replaces none of its files`, {
    where: file,
    hint: 'choose another name for the new file',
  });
}
