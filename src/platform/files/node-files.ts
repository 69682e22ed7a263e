import fs from 'node:fs';
import path from 'node:path';
import { attempt } from '#base/errors.js';
import { openFile, readStream } from '#session/scan/open-file.js';
import { withBundledSessions } from './bundled-sessions.js';
import type { Files } from './files.js';
import { listNames, readBeginning, readEnding, readFileState } from './peek-file.js';
import { withStoredSessions } from './stored-sessions.js';
import { walkFolder } from './walk-folder.js';

const diskFiles: Files = {
  open: (file) => (file === '-' ? readStream(0, 'standard input') : openFile(file)),
  exists: (file) => fs.existsSync(file),
  isPipe: (file) => readStat(file)?.isFIFO() === true || readStat(file)?.isSocket() === true,
  list: listNames,
  modified(file) {
    const stat = readStat(file);
    return stat?.isFile() ? stat.mtimeMs : 0;
  },
  state: readFileState,
  beginning: readBeginning,
  ending: readEnding,
  walk: walkFolder,
  async glob(pattern, cwd) {
    const { glob } = await import('tinyglobby');
    return glob(pattern, { cwd, absolute: path.isAbsolute(pattern), expandDirectories: false });
  },
  createNew: async (file, options) => (await import('./new-file.js')).createNewFile(file, options),
  openToAppend: async (file) => (await import('./append-file.js')).openToAppend(file),
  processesWith: async (file) => (await import('./open-files.js')).listProcessesWith(file),
  createTemporary: async (name) => (await import('./temporary-file.js')).createTemporaryFile(name),
  isWithin: async (file, folder) => (await import('./limited-files.js')).isWithin(file, folder),
  makeFolder: async (folder) => (await import('./folders.js')).makeFolder(folder),
};

/**
 * The files of this machine, and the sessions in databases and in several files of agents as if they were one file
 * each.
 */
export const nodeFiles: Files = withBundledSessions(withStoredSessions(diskFiles));

function readStat(file: string): fs.Stats | null {
  return attempt(() => fs.statSync(file), null);
}
