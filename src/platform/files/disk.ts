import fs from 'node:fs';
import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import { listNames } from './walk-folder.js';

/** The file system functions for writing; as in `node:fs`, each throws with a `code`. Replaced in tests. */
export interface Disk {
  /** Opens a file that must not exist yet. */
  create(file: string, access: 'private' | 'usual'): number;
  /** Returns the number of bytes written. */
  write(descriptor: number, bytes: Uint8Array): number;
  setMode(descriptor: number, mode: number): void;
  /** Waits until everything written is on the disk. */
  flush(descriptor: number): void;
  close(descriptor: number): void;
  /** Gives a file a second name, if that name is free. */
  link(file: string, name: string): void;
  /** Renames a file, and replaces any file of that name. */
  rename(file: string, name: string): void;
  remove(file: string): void;
  /** Waits until the names in a folder are on the disk, if the system supports that. */
  flushFolder(folder: string): void;
  /** null if nothing exists. Follows symbolic links. */
  look(file: string): FileStat | null;
  /** The name after resolving all symbolic links. The last one may be broken. */
  resolve(file: string): string;
  /** Opens an existing file for reading and appending. */
  openToAppend(file: string): number;
  lookAt(descriptor: number): FileStat;
  /** Reads from `start` on and returns the number of bytes, 0 at the end of the file. */
  readInto(descriptor: number, target: Uint8Array, start: number): number;
  truncate(descriptor: number, size: number): void;
  /** The content of a small file; null if it does not exist. */
  readAll(file: string): Uint8Array | null;
  /** The other processes that have the file open, as far as the system reports them. */
  processesWith(file: string): readonly number[];
}

export interface FileStat {
  readonly isFile: boolean;
  readonly isFolder: boolean;
  /** The permissions. */
  readonly mode: number;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Equal for two names of one file. */
  readonly identity: string;
}

/** The disk, and the signals that interrupt writes; replaced in tests. */
export interface FileWorld {
  readonly disk: Disk;
  readonly interrupts: Interrupts;
}

export const nodeDisk: Disk = {
  create: (file, access) => fs.openSync(file, 'wx', access === 'private' ? 0o600 : 0o666),
  write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  setMode: (descriptor, mode) => fs.fchmodSync(descriptor, mode),
  flush: (descriptor) => fs.fsyncSync(descriptor),
  close: (descriptor) => fs.closeSync(descriptor),
  link: (file, name) => fs.linkSync(file, name),
  rename: (file, name) => fs.renameSync(file, name),
  remove: (file) => fs.rmSync(file, { force: true }),
  flushFolder(folder) {
    // Some systems do not support this: the file exists anyway, and only a system crash could lose it.
    const descriptor = attempt(() => fs.openSync(folder, 'r'), null);
    if (descriptor === null) return;
    attempt(() => fs.fsyncSync(descriptor), undefined);
    fs.closeSync(descriptor);
  },
  look(file) {
    const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat ? statOf(stat) : null;
  },
  resolve: resolveLinks,
  // Without O_CREAT: a removed file is not created again.
  openToAppend: (file) => fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_APPEND),
  lookAt: (descriptor) => statOf(fs.fstatSync(descriptor, { bigint: true })),
  readInto: (descriptor, target, start) => fs.readSync(descriptor, target, 0, target.length, start),
  truncate: (descriptor, size) => fs.ftruncateSync(descriptor, size),
  readAll(file) {
    try {
      // Opening a pipe without a writer would block forever.
      if (!fs.statSync(file).isFile()) throw Object.assign(new Error('not a file'), { code: 'EINVAL' });
      return fs.readFileSync(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  },
  processesWith: openIn,
};

function statOf(stat: fs.BigIntStats): FileStat {
  return {
    isFile: stat.isFile(),
    isFolder: stat.isDirectory(),
    mode: Number(stat.mode) & 0o777,
    size: Number(stat.size),
    modified: Number(stat.mtimeMs),
    identity: `${stat.dev}:${stat.ino}`,
  };
}

const MOST_LINKS = 40;

/** Resolves a broken link too, where a file can be created: `realpath` fails for it. */
function resolveLinks(file: string): string {
  let name = file;
  for (let times = 0; times < MOST_LINKS; times += 1) {
    const target = linkTarget(name);
    if (target === null) return name;
    name = path.resolve(fs.realpathSync(path.dirname(name)), target);
  }
  throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
}

function linkTarget(file: string): string | null {
  return attempt(() => fs.readlinkSync(file), null);
}

/** The other processes that have a file open, under any of its names. */
export function listProcessesWith(file: string): readonly number[] {
  return fs.existsSync(file) ? openIn(fs.realpathSync(file)) : [];
}

/** Only Linux reports them, and only for processes of the same user. */
function openIn(file: string): readonly number[] {
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

/**
 * Creates a folder and its missing parents. Returns a function that removes the created folders if they are
 * empty. Throws a CtxError (refused) with the reason if it cannot.
 */
export function makeFolder(folder: string): () => void {
  const made: string[] = [];
  try {
    for (const each of createFolders(folder)) made.unshift(each);
  } catch (error) {
    removeEmpty(made);
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CtxError('refused', `cannot create the folder (${code})`, {
      where: folder,
      hint: 'choose another folder',
    });
  }
  return () => removeEmpty(made);
}

/** Removes folders, the innermost first, until one is not empty. */
function removeEmpty(folders: readonly string[]): void {
  // Another program may have created a file there.
  attempt(() => folders.forEach((folder) => fs.rmdirSync(folder)), undefined);
}

/**
 * Creates a folder and its missing parents, and yields each that it creates, the outermost first. One by one: Node's
 * `recursive` never returns if a file system such as /proc reports that the parent of a new name does not exist. Throws
 * the error of the file system.
 */
export function* createFolders(folder: string, mode?: number): Generator<string> {
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

/** The signal handling of a process, so that an interrupt leaves no temporary files. */
export type Interrupts = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>;

/** The signals that ask a program to terminate; it may clean up first. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Delays signals until the returned function is called, which then passes on the first one: for work that must be whole.
 * `onFirst` and `onSecond` are told of signals meanwhile.
 */
export function holdSignals(
  interrupts: Interrupts,
  { onFirst, onSecond }: { readonly onFirst?: () => void; readonly onSecond?: () => void } = {},
): (how?: 'pass' | 'drop') => void {
  let first: NodeJS.Signals | null = null;
  const hold = (signal: NodeJS.Signals): void => {
    const isFirst = first === null;
    first ??= signal;
    if (isFirst) onFirst?.();
    else onSecond?.();
  };
  for (const signal of SIGNALS) interrupts.on(signal, hold);
  return (how = 'pass') => {
    for (const signal of SIGNALS) interrupts.off(signal, hold);
    if (first !== null && how === 'pass') interrupts.kill(interrupts.pid, first);
    first = null;
  };
}

/** The processes that run one command, and the end of the hold after its file was written; null while there is none. */
const commands = new WeakMap<Interrupts, ((how: 'pass' | 'drop') => void) | null>();

/**
 * Tells that a process runs one command, which then ends as usual when a signal comes after its file is whole. The process
 * of an agent or of a program with the library is never told, since its signals are its own. The returned function ends
 * that; a signal that came meanwhile asked for no more.
 */
export function beginCommand(interrupts: Interrupts): () => void {
  commands.set(interrupts, null);
  return () => {
    commands.get(interrupts)?.('drop');
    commands.delete(interrupts);
  };
}

/**
 * Holds back the first signal until the command ends, or begins another file: a command with one file then ends as usual,
 * with its report, and one with thousands ends after the present one. A second signal ends the process.
 */
export function finishBeforeSignals(interrupts: Interrupts): void {
  if (commands.get(interrupts) !== null) return;
  commands.set(interrupts, holdSignals(interrupts, { onSecond: () => passSignals(interrupts) }));
}

/** Ends the hold, and passes on a signal that came meanwhile, before the command begins another file. */
export function passSignals(interrupts: Interrupts): void {
  const end = commands.get(interrupts);
  if (!end) return;
  commands.set(interrupts, null);
  end('pass');
}
