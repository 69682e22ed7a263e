import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CtxError } from './errors.js';
import { nodeOutput, type Output } from './output.js';
import { type ByteSource, bytesIn } from './session/bytes.js';
import { readingAhead } from './session/read-ahead.js';
import type { Threads } from './threads.js';
import { beginningOf, type Walk, walkFolder } from './walk.js';

/** The files that are read. Every path is as the user or the environment gave it. */
export interface Files {
  /** Opens a file for reading and does not change it. Throws a CtxError (input) that says why it cannot. */
  open(file: string): Promise<ByteSource>;
  exists(file: string): boolean;
  /** The names in a folder, none where it cannot be read. */
  list(folder: string): readonly string[];
  /** Milliseconds since 1970, 0 for what is no file or cannot be looked at. */
  modified(file: string): number;
  /** The first bytes of a file, at most `most`; none where it cannot be read. */
  beginning(file: string, most: number): Uint8Array;
  /** The `.jsonl` files in a folder and in all below it, symbolic links followed; a file is there by itself. */
  walk(folder: string): Walk;
}

/** Everything that a run may touch outside itself. */
export interface Io {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly files: Files;
  /** Milliseconds since 1970. */
  now(): number;
  /** Lets some milliseconds pass. False: there is no use in waiting any longer. */
  wait(milliseconds: number): Promise<boolean>;
  /** Threads that do the jobs of src/jobs.ts; null where there are none, and the caller does them itself. */
  startThreads(most?: number): Promise<Threads | null>;
}

export function nodeIo(run: NodeJS.Process): Io {
  return {
    argv: run.argv.slice(2),
    env: run.env,
    cwd: workingFolder(run),
    home: run.env['HOME'] || os.homedir(),
    stdout: nodeOutput(1, () => run.stdout, run.env),
    stderr: nodeOutput(2, () => run.stderr, run.env),
    files: run.env['CTX_STRICT'] === '1' ? doubted(nodeFiles) : nodeFiles,
    now: Date.now,
    wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds, true)),
    startThreads: async (most) => (await import('./threads.js')).startThreads(most),
  };
}

/** Empty where the folder is gone; only looking for sessions needs it. */
function workingFolder(run: NodeJS.Process): string {
  try {
    return run.cwd();
  } catch {
    return '';
  }
}

export const nodeFiles: Files = {
  open: (file) => (file === '-' ? readAll(0, 'standard input') : openFile(file)),
  exists: (file) => fs.existsSync(file),
  list(folder) {
    try {
      return fs.readdirSync(folder);
    } catch {
      return [];
    }
  },
  modified(file) {
    try {
      const stat = fs.statSync(file);
      return stat.isFile() ? stat.mtimeMs : 0;
    } catch {
      return 0;
    }
  },
  beginning: beginningOf,
  walk: walkFolder,
};

/** Files whose every line is parsed, to see that the shortcuts find the same. */
function doubted(files: Files): Files {
  return { ...files, open: async (file) => ({ ...(await files.open(file)), isDoubted: true }) };
}

async function openFile(file: string): Promise<ByteSource> {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, 'r');
  } catch (error) {
    throw cannotRead(file, error);
  }
  const stat = fs.fstatSync(descriptor);
  if (stat.isFile()) return fileSource(descriptor, stat.size, file);
  if (stat.isFIFO() || stat.isSocket()) return readAll(descriptor, file);
  fs.closeSync(descriptor);
  const what = stat.isDirectory() ? 'this is a folder' : 'this is a device';
  throw new CtxError('input', `${what}, not a session file`, { where: file, hint: 'name a .jsonl file' });
}

/** Reads at the size that the file had when it was opened. */
function fileSource(descriptor: number, size: number, file: string): ByteSource {
  const readInto = (target: Uint8Array, start: number): void => {
    for (let filled = 0; filled < target.length;) {
      const count = fs.readSync(descriptor, target, filled, target.length - filled, start + filled);
      if (count === 0)
        throw new CtxError('input', 'the file shrank while it was read', {
          where: file,
          hint: 'run the command again',
        });
      filled += count;
    }
  };
  const close = (): void => fs.closeSync(descriptor);
  return { size, canBeReopened: true, read: readingAhead(readInto, size), readInto, close };
}

async function readAll(descriptor: number, name: string): Promise<ByteSource> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of fs.createReadStream('', { fd: descriptor })) chunks.push(chunk as Buffer);
  } catch (error) {
    throw cannotRead(name, error);
  }
  return bytesIn(Buffer.concat(chunks));
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['no such file', 'check the path, or name a session by its id or as "latest"'],
  ENOTDIR: ['no such file', 'check the path'],
  EACCES: ['no permission to read this file', 'check its mode and owner'],
  EPERM: ['no permission to read this file', 'check its mode and owner'],
  EISDIR: ['this is a folder, not a session file', 'name a .jsonl file'],
  ELOOP: ['too many symbolic links', 'check the path'],
  ENAMETOOLONG: ['the name is too long for a file', 'check the path'],
};

function cannotRead(file: string, error: unknown): CtxError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const [what, hint] = REASONS[code] ?? [`the file cannot be read (${code})`, 'check the path'];
  return new CtxError('input', what, { where: file, hint });
}

/** Where Pi keeps its sessions: one folder for each working directory. */
export function sessionsFolder({ env, home }: Pick<Io, 'env' | 'home'>): string {
  const agentFolder = env['PI_CODING_AGENT_DIR'];
  return path.join(agentFolder ? agentFolder.replace(/^~(?=$|\/)/, home) : path.join(home, '.pi', 'agent'), 'sessions');
}
