import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '#base/version.js';
import { createFolders } from './folders.js';

/**
 * A folder of the user's with results of earlier runs. It may be deleted at any time, other processes may write to it,
 * and nothing in it is needed: whatever cannot be read or written is computed again.
 */
export interface IndexFolder {
  /**
   * Identifies the program with its version, and that of Node.js. Another one does not read what this one has written.
   */
  readonly program: string;
  /** The bytes that were last written under a name; null if there are none, or they are damaged. */
  read(name: string): Uint8Array | null;
  /** Replaces the bytes under a name in one step. */
  write(name: string, bytes: Uint8Array): void;
}

/** The size in bytes from which the files that were not written for the longest time are removed. */
const MOST_BYTES = 250e6;

/** The index in a folder, which is created with the first file. */
export function openIndexIn(folder: string, program: string, mostBytes = MOST_BYTES): IndexFolder {
  return {
    program,
    read: (name) => attemptWork(() => checkSum(fs.readFileSync(path.join(folder, name)))),
    write(name, bytes) {
      attemptWork(() => {
        Array.from(createFolders(folder, 0o700));
        replace(path.join(folder, name), Buffer.concat([hashBytes(bytes), bytes]));
        removeOldest(folder, mostBytes);
      });
    },
  };
}

/** The index of this program in the user's folder; null if there is to be none. */
export function openIndex(env: Environment, home: string): IndexFolder | null {
  const folder = findIndexFolder(env, home);
  return folder === null ? null : openIndexIn(folder, readProgramName());
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the folder of the index by the environment and the conventions of the system. null for none: with an empty
 * CTX_INDEX_DIR, or with CTX_STRICT, which reads everything.
 */
export function findIndexFolder(env: Environment, home: string): string | null {
  const { CTX_INDEX_DIR: own, XDG_CACHE_HOME: cache, LOCALAPPDATA: local, CTX_STRICT: strict } = env;
  if (strict === '1') return null;
  if (own !== undefined) return path.isAbsolute(own) ? own : null;
  const caches = cache || local || (home && path.join(home, '.cache'));
  return caches && path.isAbsolute(caches) ? path.join(caches, 'ctx') : null;
}

/** Identifies this program by its file too: a developer changes it without a new version. */
function readProgramName(): string {
  const file = fileURLToPath(import.meta.url);
  const { size, mtimeMs } = fs.statSync(file);
  return JSON.stringify([VERSION, process.version, file, size, mtimeMs]);
}

function attemptWork<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    // An error of the file system has a code. Any other one is a fault of the program, and would hide here.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return null;
  }
}

const SUM_BYTES = 32;

function hashBytes(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function checkSum(file: Buffer): Uint8Array | null {
  const bytes = file.subarray(SUM_BYTES);
  return hashBytes(bytes).equals(file.subarray(0, SUM_BYTES)) ? bytes : null;
}

/** The name of the new file is unique, so that processes do not write to the same one. */
function replace(file: string, bytes: Uint8Array): void {
  const unfinished = `${file}.${process.pid}-${crypto.randomUUID()}${UNFINISHED}`;
  try {
    fs.writeFileSync(unfinished, bytes, { mode: 0o600, flag: 'wx' });
    fs.renameSync(unfinished, file);
  } finally {
    fs.rmSync(unfinished, { force: true });
  }
}

const UNFINISHED = '.tmp';
/** The age in milliseconds from which an unfinished file belongs to a process that has ended. */
const ABANDONED = 3_600_000;

function removeOldest(folder: string, mostBytes: number): void {
  // The folders in it are databases, which look after themselves.
  const names = fs.readdirSync(folder, { withFileTypes: true }).filter((each) => each.isFile());
  const files = names.map(({ name }) => {
    const file = path.join(folder, name);
    const { size, mtimeMs } = fs.statSync(file, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
    return { file, size, mtimeMs, isAbandoned: name.endsWith(UNFINISHED) && mtimeMs < Date.now() - ABANDONED };
  });
  let left = files.reduce((sum, { size }) => sum + size, 0);
  for (const { file, size, isAbandoned } of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (left <= mostBytes && !isAbandoned) continue;
    fs.rmSync(file, { force: true });
    left -= size;
  }
}
