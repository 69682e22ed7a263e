import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { openFile, readStream } from '#session/scan/open-file.js';
import type { StartPartScan } from '#session/scan/parallel/part.js';
import type { Sql } from './duckdb.js';
import type { AppendFile } from './files/append-file.js';
import {
  type Configs,
  findConfig,
  findNearestConfig,
  findUserConfig,
  loadConfig,
  openTrustedConfigs,
} from './files/config-files.js';
import { holdSignals } from './files/disk.js';
import type { IndexFolder } from './files/index-folder.js';
import type { NewFile, NewFileOptions } from './files/new-file.js';
import type { TemporaryFile } from './files/temporary-file.js';
import {
  type FolderWalk,
  type FolderWalkOptions,
  listNames,
  readBeginning,
  readEnding,
  readFileState,
  walkFolder,
} from './files/walk-folder.js';
import type { StartPlugin } from './plugin.js';
import type { ProgramCall, ProgramRun } from './processes.js';
import { createOutput, type Output } from './terminal/output.js';
import type { Pager, Terminal } from './terminal/terminal.js';
import type { Threads } from './threads.js';

/** The files that are read. Every path is as the user or the environment supplied it. */
export interface Files {
  /** Opens a file for reading, a compressed one as its content. Throws a CtxError (input) with the reason if it cannot. */
  open(file: string): Promise<ByteSource>;
  exists(file: string): boolean;
  /** Whether it is a named pipe or a socket, which may wait for a writer when it is opened. */
  isPipe(file: string): boolean;
  /** The names in a folder; none if it cannot be read. */
  list(folder: string): readonly string[];
  /** Milliseconds since 1970; 0 if it is not a file or cannot be read. */
  modified(file: string): number;
  /**
   * A text that changes with each write to a file. Null if it is not a file, or was written so little before `now`,
   * in milliseconds since 1970, that the next write could have the same time.
   */
  state(file: string, now: number): string | null;
  /** The first bytes of a file, at most `most`, of a compressed one those of its content; none if it cannot be read. */
  beginning(file: string, most: number): Uint8Array;
  /** The last bytes of a file, at most `most`; none of a compressed one, and if it cannot be read. */
  ending(file: string, most: number): Uint8Array;
  /** The `.jsonl` files in a folder and its subfolders, following symbolic links; for a file, that file. */
  walk(folder: string, options?: FolderWalkOptions): FolderWalk;
  /** The files that match a pattern such as `sessions/*.jsonl`; relative to the folder, unless it is absolute. */
  glob(pattern: string, folder: string): Promise<readonly string[]>;
  /** Starts a new file, which appears when it is complete. Throws a CtxError (refused) with the reason if it cannot. */
  createNew(file: string, options: NewFileOptions): Promise<NewFile>;
  /** Locks an existing file to append to it. Throws a CtxError (refused) with the reason if it cannot. */
  openToAppend(file: string): Promise<AppendFile>;
  /** The other processes that have a file open, as far as the system reports them. */
  processesWith(file: string): Promise<readonly number[]>;
  /** Creates an empty file in a temporary folder. Throws a CtxError (refused) with the reason if it cannot. */
  createTemporary(name: string): Promise<TemporaryFile>;
  /** Whether a path is in a folder, also when all symbolic links in it are followed. Its end need not exist. */
  isWithin(file: string, folder: string): Promise<boolean>;
  /** Creates a folder and its parents. Returns a function that removes new empty ones. Throws a CtxError (refused). */
  makeFolder(folder: string): Promise<() => void>;
}

/** The outside world of a run. */
export interface Io {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Empty if it is unknown. */
  readonly home: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Standard input, as it comes. */
  input(): AsyncIterable<Uint8Array>;
  readonly files: Files;
  readonly configs: Configs;
  /** Makes a folder the working one, and gives its full path. Throws a CtxError (input) where that cannot be. */
  enterFolder(folder: string): string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Eight random hex digits, the ids that Pi gives to entries. */
  newId(): string;
  /** Waits some milliseconds. Returns false if there is no use in waiting any longer. */
  wait(milliseconds: number): Promise<boolean>;
  /** Runs a program to its end, or until it is aborted. Never throws: errors are part of the result. */
  runProgram(call: ProgramCall, signal: AbortSignal): Promise<ProgramRun>;
  /** The program and its first arguments that start ctx again. */
  readonly self: readonly [string, ...string[]];
  /** The interactive terminal; null if input or output is not a terminal. */
  terminal(): Promise<Terminal | null>;
  /** Whether the terminal opens the files of this machine by hyperlinks. */
  hasHyperlinks(): Promise<boolean>;
  /** Whether a question can be asked: input, output and errors are a terminal. */
  canAsk(): boolean;
  /** Asks a question on the terminal and returns the typed line; null if input or output is not a terminal. */
  ask(question: string): Promise<string | null>;
  /** Starts a pager on the terminal by a command line of the shell; null if the program does not exist. */
  startPager(line: string): Promise<Pager | null>;
  /** Opens a file in the user's browser. Returns false if there is none. */
  openInBrowser(file: string): Promise<boolean>;
  /** Runs a module of the user in its own process. Rejects with a PluginFailure if it cannot be loaded. */
  readonly startPlugin: StartPlugin;
  /** Starts a database. Throws a CtxError (usage) if none is installed. */
  startSql(): Promise<Sql>;
  /** Sends a request to a server. Only requests that the user asked for are sent. */
  readonly fetch: typeof globalThis.fetch;
  /** Runs work with a signal that aborts when the user interrupts. The process exits after the work has ended. */
  untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Collects garbage more often, after a `growth` of 20 % by default, which takes a fifth more time. */
  saveMemory(growth?: number): void;
  /** The index of earlier results; null if there is to be none. */
  openIndex(): Promise<IndexFolder | null>;
  /** Threads for the jobs of src/cli/sessions/; null if there are none. `here`: this thread does jobs as one of them. */
  startThreads(here?: Threads['run']): Promise<Threads | null>;
  /** Starts scans of a part of a file on another thread; null if there is none. */
  partScanner(): Promise<StartPartScan | null>;
}

/** `startPlugin` comes from the program, since the core knows no plug-ins. */
export function nodeIo(run: NodeJS.Process, startPlugin: StartPlugin): Io {
  return {
    argv: run.argv.slice(2),
    env: run.env,
    // The folder may have been removed, and only the search for sessions needs it.
    cwd: attempt(() => run.cwd(), ''),
    home: homeFolder(run),
    stdout: createOutput(1, () => run.stdout, run.env),
    stderr: createOutput(2, () => run.stderr, run.env),
    input: () => run.stdin,
    files: run.env['CTX_STRICT'] === '1' ? strictly(nodeFiles) : nodeFiles,
    configs: nodeConfigs(run),
    enterFolder: (folder) => enterFolder(run, folder),
    now: Date.now,
    newId: () => crypto.randomUUID().slice(0, 8),
    wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds, true)),
    runProgram: async (call, signal) => (await import('./processes.js')).runProgram(call, signal),
    self: [run.execPath, run.argv[1] ?? ''],
    terminal: async () => (await import('./terminal/terminal.js')).findTerminal(run),
    hasHyperlinks: async () => (await import('./terminal/terminal.js')).hasHyperlinks(run.env),
    canAsk: () => run.stdin.isTTY && run.stdout.isTTY && run.stderr.isTTY,
    ask: async (question) => (await import('./terminal/terminal.js')).askOnTerminal(run, question),
    startPager: async (line) => (await import('./terminal/terminal.js')).startPager(line, run),
    openInBrowser: async (file) => (await import('./terminal/terminal.js')).openInBrowser(file, run),
    startPlugin,
    startSql: async () => (await import('./duckdb.js')).startSql(),
    fetch: (input, init) => globalThis.fetch(input, init),
    untilInterrupted: (work) => untilInterrupted(run, work),
    saveMemory(growth = 20) {
      // Threads that start later have room for 2 MB of new values: with 1 MB, more of them outlive a collection.
      const flags = [`--heap-growing-percent=${growth}`, '--semi-space-growth-factor=1', '--min-semi-space-size=2'];
      for (const flag of flags) process.getBuiltinModule('node:v8').setFlagsFromString(flag);
    },
    openIndex: async () => (await import('./files/index-folder.js')).openIndex(run.env, homeFolder(run)),
    startThreads: async (here) => (await import('./threads.js')).startThreads(here),
    partScanner: async () => (await import('#session/scan/parallel/start.js')).findPartScanner(),
  };
}

function nodeConfigs(run: NodeJS.Process): Configs {
  const home = homeFolder(run);
  const trusted = openTrustedConfigs(run.env, home);
  return {
    find: (folder) => findConfig(folder, home, trusted),
    findPlain: (folder) => findConfig(folder, home, trusted, 'plain'),
    user: () => findUserConfig(run.env, home),
    load: loadConfig,
    nearest: (folder) => findNearestConfig(folder, home),
    trusted,
  };
}

async function untilInterrupted<Result>(
  run: NodeJS.Process,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const release = holdSignals(run, { onFirst: () => stop.abort() });
  try {
    return await work(stop.signal);
  } finally {
    release();
  }
}

function homeFolder({ env }: NodeJS.Process): string {
  return env['HOME'] || os.homedir();
}

function enterFolder(run: NodeJS.Process, folder: string): string {
  try {
    run.chdir(folder);
    return run.cwd();
  } catch {
    throw new CtxError('input', 'no such folder', { where: folder, hint: 'check the path after -C' });
  }
}

export const nodeFiles: Files = {
  open: (file) => (file === '-' ? readStream(0, 'standard input') : openFile(file)),
  exists: (file) => fs.existsSync(file),
  isPipe: (file) => statOf(file)?.isFIFO() === true || statOf(file)?.isSocket() === true,
  list: listNames,
  modified(file) {
    const stat = statOf(file);
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
  createNew: async (file, options) => (await import('./files/new-file.js')).createNewFile(file, options),
  openToAppend: async (file) => (await import('./files/append-file.js')).openToAppend(file),
  processesWith: async (file) => (await import('./files/disk.js')).listProcessesWith(file),
  createTemporary: async (name) => (await import('./files/temporary-file.js')).createTemporaryFile(name),
  isWithin: async (file, folder) => (await import('./files/limited-files.js')).isWithin(file, folder),
  makeFolder: async (folder) => (await import('./files/disk.js')).makeFolder(folder),
};

function statOf(file: string): fs.Stats | null {
  return attempt(() => fs.statSync(file), null);
}

/** Files whose every line is parsed, to check the shortcuts. */
function strictly(files: Files): Files {
  return { ...files, open: async (file) => ({ ...(await files.open(file)), isStrict: true }) };
}

/** Pi's folder of sessions, with one folder for each working directory. null: it is unknown. */
export function sessionsFolder(io: Pick<Io, 'env' | 'home'>): string | null {
  const folder = agentFolder(io);
  return folder === null ? null : path.join(folder, 'sessions');
}

/**
 * Pi's own folder. null: it is in the home folder, which is unknown. Then Pi's files are not looked for
 * anywhere, in particular not in the working directory, which may belong to another user.
 */
export function agentFolder({ env, home }: Pick<Io, 'env' | 'home'>): string | null {
  const named = env['PI_CODING_AGENT_DIR'] || '~/.pi/agent';
  if (!/^~(?=$|\/)/.test(named)) return named;
  return path.isAbsolute(home) ? path.join(home, named.slice(1)) : null;
}

/** The error for callers that need a folder of Pi. */
export function noHomeError(): CtxError {
  return new CtxError('input', 'the home folder is unknown, so the folder of Pi is too', {
    where: '$HOME',
    hint: 'set HOME, set PI_CODING_AGENT_DIR to the folder of Pi, or pass a file',
  });
}
