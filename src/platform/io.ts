import fs from 'node:fs';
import os from 'node:os';
import { attempt, CtxError } from '#base/errors.js';
import type { StartPartScan } from '#session/scan/parallel/scan-in-parallel.js';
import type { ArchiveReader, ArchiveWriter } from './files/archive-folder.js';
import { type Configs, findConfig, findNearestConfig } from './files/config-files.js';
import { type Files, parseEveryLine } from './files/files.js';
import type { IndexFolder } from './files/index-folder.js';
import { type AgentPlace, keepAgentFiles } from './files/kept-files.js';
import { loadConfig } from './files/load-config.js';
import { nodeFiles } from './files/node-files.js';
import { holdSignals } from './files/signals.js';
import { openTrustedConfigs } from './files/trusted-configs.js';
import { findDataFolder, findUserConfig } from './files/user-config.js';
import { readLocalTimezone } from './local-timezone.js';
import type { StartPlugin } from './plugin.js';
import type { ProgramCall, ProgramRun } from './processes.js';
import type { Sql } from './sql.js';
import type { IndexDatabase, IndexTables } from './sqlite/index-database.js';
import { createOutput, type Output } from './terminal/output.js';
import type { Pager } from './terminal/pager.js';
import type { Terminal } from './terminal/terminal.js';
import type { TaskThread, Threads } from './threads.js';

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
  /** The time zone of the user, by its name in the IANA database. */
  timezone(): string;
  /** Eight random hex digits, the ids that Pi gives to entries. */
  newId(): string;
  /** Waits some milliseconds. Returns false if there is no use in waiting any longer. */
  wait(milliseconds: number): Promise<boolean>;
  /** Runs a program to its end, or until it is aborted. Never throws: errors are part of the result. */
  runProgram(call: ProgramCall, signal: AbortSignal): Promise<ProgramRun>;
  /** The file of a program on the PATH; null if there is none. */
  findProgram(name: string): Promise<string | null>;
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
  /** The folder of the user's own data of ctx; null where no home folder is known. */
  dataFolder(): string | null;
  /** An archive of sessions, to look at. */
  readArchive(folder: string): Promise<ArchiveReader>;
  /**
   * An archive of sessions, to write to. Throws a CtxError (refused) if it cannot be written, or if another process
   * writes to it.
   */
  openArchive(folder: string): Promise<ArchiveWriter>;
  /** A database in the folder of that index; in memory, if there is to be none. Throws like `openIndexDatabase`. */
  openIndexDatabase(name: string, tables: IndexTables): Promise<IndexDatabase>;
  /** A thread that runs an exported function of the program, one task after another. */
  startTaskThread(name: string): Promise<TaskThread>;
  /**
   * Threads for the jobs of src/cli/sessions/jobs/; null if there are none. `here`: this thread does jobs as one of
   * them.
   */
  startThreads(here?: Threads['run']): Promise<Threads | null>;
  /** Starts scans of a part of a file on another thread; null if there is none. */
  partScanner(): Promise<StartPartScan | null>;
}

/** `startPlugin` comes from the program, since the core knows no plug-ins. */
export function createNodeIo(run: NodeJS.Process, startPlugin: StartPlugin): Io {
  return {
    argv: run.argv.slice(2),
    env: run.env,
    // The folder may have been removed, and only the search for sessions needs it.
    cwd: attempt(() => run.cwd(), ''),
    home: findHome(run),
    stdout: createOutput(1, () => run.stdout, run.env),
    stderr: createOutput(2, () => run.stderr, run.env),
    input: () => run.stdin,
    files: keepAgentFiles(run.env.CTX_STRICT === '1' ? parseEveryLine(nodeFiles) : nodeFiles, () =>
      listAgentPlaces(run),
    ),
    configs: createConfigs(run),
    enterFolder: (folder) => enterFolder(run, folder),
    now: Date.now,
    timezone: readLocalTimezone,
    newId: () => crypto.randomUUID().slice(0, 8),
    wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds, true)),
    runProgram: async (call, signal) => (await import('./processes.js')).runProgram(call, signal),
    findProgram: async (name) => (await import('./processes.js')).findProgram(name, run.env),
    self: [run.execPath, resolveOwnFile(run)],
    terminal: async () => (await import('./terminal/terminal.js')).findTerminal(run),
    hasHyperlinks: async () => (await import('./terminal/hyperlinks.js')).hasHyperlinks(run.env),
    canAsk: () => run.stdin.isTTY && run.stdout.isTTY && run.stderr.isTTY,
    ask: async (question) => (await import('./terminal/ask.js')).askOnTerminal(run, question),
    startPager: async (line) => (await import('./terminal/pager.js')).startPager(line, run),
    openInBrowser: async (file) => (await import('./terminal/browser.js')).openInBrowser(file, run),
    startPlugin,
    startSql: async () => (await import('./duckdb.js')).startSql(),
    fetch: (input, init) => globalThis.fetch(input, init),
    untilInterrupted: (work) => untilInterrupted(run, work),
    saveMemory(growth = 20) {
      // Threads that start later have room for 2 MB of new values: with 1 MB, more of them outlive a collection.
      const flags = [`--heap-growing-percent=${growth}`, '--semi-space-growth-factor=1', '--min-semi-space-size=2'];
      for (const flag of flags) process.getBuiltinModule('node:v8').setFlagsFromString(flag);
    },
    openIndex: async () => (await import('./files/index-folder.js')).openIndex(run.env, findHome(run)),
    dataFolder: () => findDataFolder(run.env, findHome(run), process.platform),
    readArchive: async (folder) => (await import('./files/archive-folder.js')).readArchive(folder),
    openArchive: async (folder) => (await import('./files/archive-folder.js')).openArchive(folder),
    openIndexDatabase: async (name, tables) => {
      const folder = (await import('./files/index-folder.js')).findIndexFolder(run.env, findHome(run));
      const { createMemoryDatabase, openIndexDatabase } = await import('./sqlite/index-database.js');
      return folder === null ? createMemoryDatabase(tables) : openIndexDatabase(folder, name, tables);
    },
    startTaskThread: async (name) => (await import('./threads.js')).startTaskThread(name),
    startThreads: async (here) => (await import('./threads.js')).startThreads(here),
    partScanner: async () => (await import('#session/scan/parallel/start-thread.js')).findPartScanner(),
  };
}

async function listAgentPlaces(run: NodeJS.Process): Promise<readonly AgentPlace[]> {
  const { AGENTS } = await import('#session/agents/index.js');
  const home = findHome(run);
  return AGENTS.flatMap((agent) => agent.folders(run.env, home).map((folder) => ({ title: agent.title, folder })));
}

function createConfigs(run: NodeJS.Process): Configs {
  const home = findHome(run);
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

function findHome({ env }: NodeJS.Process): string {
  return env.HOME || os.homedir();
}

function enterFolder(run: NodeJS.Process, folder: string): string {
  try {
    run.chdir(folder);
    return run.cwd();
  } catch {
    throw new CtxError('input', 'no such folder', { where: folder, hint: 'check the path after -C' });
  }
}

/** The file of this program, and not a link to it, which npx makes for as long as it runs. */
function resolveOwnFile({ argv: [, file = ''] }: Pick<NodeJS.Process, 'argv'>): string {
  return attempt(() => fs.realpathSync(file), file);
}
