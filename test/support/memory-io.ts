import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { startSql } from '#platform/duckdb.js';
import { buildUntrustedProgramError, CONFIG_NAMES } from '#platform/files/config-files.js';
import type { IndexFolder } from '#platform/files/index-folder.js';
import type { NewFile, NewFileOptions } from '#platform/files/new-file.js';
import type { Io } from '#platform/io.js';
import { createMemoryDatabase } from '#platform/sqlite/index-database.js';
import { run } from '../../src/main.js';
import { nodeFiles } from '../../src/platform/files/node-files.js';
import { type ByteSource, toByteSource } from '../../src/session/scan/byte-source.js';
import { memoryAppendFile } from './memory-append.js';
import { startBuiltPlugin } from './plugins.js';

export interface World {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What the files become, one change after another, while a run waits; then it stops waiting. */
  readonly later?: readonly Readonly<Record<string, string | Uint8Array>>[];
  readonly cwd?: string;
  /** What configurations that are programs export, by file. */
  readonly programs?: Readonly<Record<string, unknown>>;
  /** The configurations that the user has allowed to act; by default, those that are programs. */
  readonly trusted?: readonly string[];
  readonly isTerminal?: boolean;
  readonly hasHyperlinks?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Milliseconds since 1970 at which it is, and at which files were modified. */
  readonly now?: number;
  readonly modified?: Readonly<Record<string, number>>;
  readonly runProgram?: Io['runProgram'];
  readonly self?: Io['self'];
  /** The programs on the PATH: their names, or their files. */
  readonly onPath?: readonly string[];
  /** Without it, there is no pager. */
  readonly startPager?: Io['startPager'];
  readonly openInBrowser?: Io['openInBrowser'];
  /** What is typed when a question is asked; without it, there is no terminal to ask on. */
  readonly answer?: string;
  /** The processes that have files open. */
  readonly processes?: readonly number[];
  /** Without it, modules on the disk run in processes of their own, as they do for users. */
  readonly startPlugin?: Io['startPlugin'];
  readonly fetch?: Io['fetch'];
  /** Takes each file that is opened, and gives it or another one instead. */
  readonly onOpen?: (source: ByteSource) => ByteSource;
  /** Takes the name of each file that is opened for writing. */
  readonly onWrite?: (file: string) => void;
  /** Without it, nothing is remembered. */
  readonly index?: IndexFolder;
  /** Aborted where the user interrupts. */
  readonly signal?: AbortSignal;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was printed to stdout, byte for byte. */
  readonly bytes: Uint8Array;
  /** All files that there are afterwards. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** Runs a command line against files that exist only in memory; later ones were modified later. */
export async function ctx(argv: readonly string[], world: World = {}): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const pieces: Uint8Array[] = [];
  const output = (stream: 'stdout' | 'stderr'): Io['stdout'] => ({
    write(text) {
      printed[stream] += typeof text === 'string' ? text : new TextDecoder().decode(text);
      if (stream === 'stdout') pieces.push(Buffer.from(text));
      return Promise.resolve(true);
    },
    isTerminal: world.isTerminal ?? false,
    columns: world.columns ?? 80,
    rows: world.rows ?? 40,
  });
  const disk = { ...world.files };
  const later = [...(world.later ?? [])];
  const files = memoryFiles(disk, world.modified, world.env?.['CTX_STRICT'] === '1');
  const { onOpen = (source) => source, onWrite = () => {} } = world;
  const io: Io = {
    argv,
    env: world.env ?? {},
    cwd: world.cwd ?? '/home/ada/weather',
    home: '/home/ada',
    stdout: output('stdout'),
    stderr: output('stderr'),
    async *input() {
      yield await Promise.resolve(Buffer.from(disk['-'] ?? ''));
    },
    files: {
      ...files,
      open: async (file) => onOpen(await files.open(file)),
      async createNew(file, options) {
        const made = await files.createNew(file, options);
        onWrite(file);
        return made;
      },
      async openToAppend(file) {
        onWrite(file);
        return files.openToAppend(file);
      },
      processesWith: async () => world.processes ?? [],
    },
    configs: memoryConfigs(disk, world),
    enterFolder: (folder) => path.resolve(world.cwd ?? '/home/ada/weather', folder),
    now: () => world.now ?? 0,
    timezone: () => 'UTC',
    newId: countedIds(),
    wait() {
      const change = later.shift();
      Object.assign(disk, change);
      return Promise.resolve(change !== undefined);
    },
    findProgram: (name) => {
      const found = world.onPath?.find((each) => each.split('/').at(-1) === name);
      return Promise.resolve(found === undefined || found.startsWith('/') ? (found ?? null) : `/usr/bin/${found}`);
    },
    runProgram: world.runProgram ?? (() => Promise.reject(new Error('no programs in memory'))),
    self: world.self ?? ['ctx'],
    terminal: () => Promise.resolve(null),
    hasHyperlinks: () => Promise.resolve(world.hasHyperlinks ?? false),
    canAsk: () => world.answer !== undefined,
    ask(question) {
      if (world.answer === undefined) return Promise.resolve(null);
      printed.stderr += question;
      return Promise.resolve(world.answer);
    },
    startPager: world.startPager ?? (() => Promise.resolve(null)),
    openInBrowser: world.openInBrowser ?? (() => Promise.resolve(false)),
    startPlugin: world.startPlugin ?? startBuiltPlugin,
    startSql: () => startSql(),
    fetch: world.fetch ?? (() => Promise.reject(new Error('no network in memory'))),
    untilInterrupted: (work) => work(world.signal ?? new AbortController().signal),
    saveMemory: () => {},
    openIndex: () => Promise.resolve(world.index ?? null),
    dataFolder: () => '/home/ada/.local/share/ctx',
    readArchive: () =>
      Promise.resolve({ find: () => null, compare: () => Promise.reject(new Error('no archives in memory')) }),
    openArchive: () => Promise.reject(new Error('no archives in memory')),
    openIndexDatabase: (_, tables) => Promise.resolve(createMemoryDatabase(tables)),
    startTaskThread: () => Promise.reject(new Error('no threads in memory')),
    startThreads: () => Promise.resolve(null),
    partScanner: () => Promise.resolve(null),
  };
  const exitCode = await run(io);
  return { exitCode, ...printed, bytes: Buffer.concat(pieces), files: disk };
}

export function memoryFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  times: Readonly<Record<string, number>> = {},
  isStrict = false,
): Io['files'] {
  const names = Object.keys(files);
  const encoded = new Map<string, { readonly text: string; readonly bytes: Uint8Array }>();
  /** A text is encoded once, however often its file is read. */
  const encode = (name: string, text: string): Uint8Array => {
    const known = encoded.get(name);
    if (known?.text === text) return known.bytes;
    const bytes = Buffer.from(text);
    encoded.set(name, { text, bytes });
    return bytes;
  };
  const bytesOf = (name: string): Uint8Array => {
    const content = Object.hasOwn(files, name) ? (files[name] ?? '') : '';
    return typeof content === 'string' ? encode(name, content) : content;
  };
  const modified = (name: string): number => times[name] ?? names.indexOf(name) + 1;
  return {
    async open(file) {
      if (!Object.hasOwn(files, file) || files[file] === undefined)
        throw new CtxError('input', 'no such file', { where: file });
      const source = toByteSource(bytesOf(file));
      return isStrict ? { ...source, isStrict } : source;
    },
    isPipe: () => false,
    state: (file) => (Object.hasOwn(files, file) ? `${modified(file)}` : null),
    exists: (file) => Object.hasOwn(files, file) || names.some((name) => name.startsWith(`${file}/`)),
    list: (folder) => [
      ...new Set(
        names
          .filter((name) => name.startsWith(`${folder}/`))
          .map((name) => name.slice(folder.length + 1).split('/')[0]!),
      ),
    ],
    modified,
    beginning: (file, most) => bytesOf(file).subarray(0, most),
    ending: (file, most) => bytesOf(file).subarray(-most),
    walk: (folder, { pattern = /\.jsonl$/ } = {}) => ({
      files: names
        .filter((name) => name === folder || (name.startsWith(`${folder}/`) && pattern.test(name)))
        .map((name) => ({ file: name, size: bytesOf(name).length, modified: modified(name) })),
      unreadable: [],
      isFolder: names.some((name) => name.startsWith(`${folder}/`)),
    }),
    glob: async (pattern) => names.filter((name) => matches(name, pattern)),
    // Whoever looks at the files afterwards sees what was written.
    makeFolder: async () => () => {},
    processesWith: async () => [],
    isWithin: async () => true,
    // Programs of the user read it, which know only files on the disk.
    createTemporary: nodeFiles.createTemporary,
    openToAppend: async (file) => memoryAppendFile(files, file, modified),
    createNew: async (file, options) => memoryNewFile(files, file, options),
  };
}

/** Ids that are the same in every run: d0000001, d0000002, … */
export function countedIds(): () => string {
  let count = 0xd0000000;
  return () => {
    count += 1;
    return count.toString(16);
  };
}

/** `*` is anything in a folder, `**` also folders. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.split(/(\*\*\/|\*)/).map((part) => {
    if (part === '**/') return '(.*/)?';
    return part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('')}$`).test(name);
}

function memoryNewFile(
  files: Record<string, string | Uint8Array>,
  file: string,
  { force, like, inPlace = false }: NewFileOptions,
): NewFile {
  const wasThere = Object.hasOwn(files, file);
  if ((file === like && !inPlace) || (wasThere && !force))
    throw new CtxError('refused', 'the file already exists', { where: file });
  const pieces: Uint8Array[] = [];
  let isCommitted = false;
  return {
    async write(bytes) {
      pieces.push(Uint8Array.from(bytes));
    },
    commit() {
      files[file] = Buffer.concat(pieces);
      isCommitted = true;
    },
    abandon() {
      if (isCommitted && !wasThere) delete files[file];
    },
  };
}

const USER_CONFIG = '/home/ada/.config/ctx/config.json';

function memoryConfigs(
  files: Readonly<Record<string, string | Uint8Array>>,
  { programs = {}, trusted = Object.keys(programs) }: Pick<World, 'programs' | 'trusted'> = {},
): Io['configs'] {
  const read = (file: string): unknown => {
    if (Object.hasOwn(programs, file)) return programs[file];
    const text = files[file];
    if (typeof text !== 'string') return undefined;
    const value = JSON.parse(text) as { ctx?: unknown };
    return file.endsWith('package.json') ? value.ctx : value;
  };
  const nearest = (folder: string): string | null => {
    for (let at = folder; ; at = path.dirname(at)) {
      for (const name of CONFIG_NAMES) {
        const file = path.join(at, name);
        if (Object.hasOwn(programs, file) || read(file) !== undefined) return file;
      }
      if (at === path.dirname(at)) return null;
    }
  };
  const allowed = new Set(trusted);
  const find = async (folder: string, isPlain: boolean): ReturnType<Io['configs']['find']> => {
    const file = nearest(folder);
    if (file === null) return null;
    const isProgram = Object.hasOwn(programs, file);
    if (isProgram && isPlain) return null;
    if (isProgram && !allowed.has(file)) throw buildUntrustedProgramError(file);
    return { file, value: read(file), isTrusted: allowed.has(file) };
  };
  return {
    find: (folder) => find(folder, false),
    findPlain: (folder) => find(folder, true),
    async user() {
      const value = read(USER_CONFIG);
      return value === undefined ? null : { file: USER_CONFIG, value, isTrusted: true };
    },
    async load(file) {
      const value = read(file);
      if (value === undefined) throw new CtxError('usage', 'no such configuration', { where: file });
      return value;
    },
    nearest,
    trusted: {
      has: (file) => allowed.has(file),
      list: () => [...allowed],
      add: (file) => void allowed.add(file),
      remove: (file) => allowed.delete(file),
    },
  };
}
