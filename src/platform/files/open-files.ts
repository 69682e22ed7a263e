import fs from 'node:fs';
import { attempt } from '#base/errors.js';
import { linkTarget } from './links.js';
import { listNames } from './peek-file.js';

/** The other processes that have a file open, under any of its names. */
export function listProcessesWith(file: string): readonly number[] {
  return fs.existsSync(file) ? findOpenProcesses(fs.realpathSync(file)) : [];
}

/** Lists the processes that have a file open. Only Linux reports them, and only those of the same user. */
export function findOpenProcesses(file: string): readonly number[] {
  const processes = listNames('/proc')
    .map(Number)
    .filter((id) => Number.isInteger(id) && id !== process.pid && !isExplorer(id));
  return processes.filter((id) =>
    listNames(`/proc/${id}/fd`).some((name) => linkTarget(`/proc/${id}/fd/${name}`) === file),
  );
}

/** Whether a process is the `ctx explore` that started this one: it follows the file. */
function isExplorer(id: number): boolean {
  if (id !== process.ppid) return false;
  const line = attempt(() => fs.readFileSync(`/proc/${id}/cmdline`, 'utf8'), null);
  return line !== null && line.split('\0')[1] === process.argv[1];
}
