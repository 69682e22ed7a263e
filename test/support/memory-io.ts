import { CtxError } from '../../src/errors.js';
import type { Io } from '../../src/io.js';
import { run } from '../../src/main.js';
import { bytesIn } from '../../src/session/bytes.js';

export interface World {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What the files become, one change after another, while a run waits; then it stops waiting. */
  readonly later?: readonly Readonly<Record<string, string | Uint8Array>>[];
  readonly cwd?: string;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Milliseconds since 1970 at which it is, and at which files were modified. */
  readonly now?: number;
  readonly modified?: Readonly<Record<string, number>>;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was printed to stdout, byte for byte. */
  readonly bytes: Uint8Array;
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
  const io: Io = {
    argv,
    env: world.env ?? {},
    cwd: world.cwd ?? '/home/ada/weather',
    home: '/home/ada',
    stdout: output('stdout'),
    stderr: output('stderr'),
    files: memoryFiles(disk, world.modified, world.env?.['CTX_STRICT'] === '1'),
    now: () => world.now ?? 0,
    wait() {
      const change = later.shift();
      Object.assign(disk, change);
      return Promise.resolve(change !== undefined);
    },
    startThreads: () => Promise.resolve(null),
  };
  const exitCode = await run(io);
  return { exitCode, ...printed, bytes: Buffer.concat(pieces) };
}

export function memoryFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  times: Readonly<Record<string, number>> = {},
  isDoubted = false,
): Io['files'] {
  const names = Object.keys(files);
  const bytesOf = (name: string): Uint8Array => Buffer.from(files[name] ?? '');
  const modified = (name: string): number => times[name] ?? names.indexOf(name) + 1;
  return {
    async open(file) {
      const content = files[file];
      if (content === undefined) throw new CtxError('input', 'no such file', { where: file });
      const source = bytesIn(typeof content === 'string' ? new TextEncoder().encode(content) : content);
      return isDoubted ? { ...source, isDoubted } : source;
    },
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
    walk: (folder) => ({
      files: names
        .filter((name) => name === folder || (name.startsWith(`${folder}/`) && name.endsWith('.jsonl')))
        .map((name) => ({ file: name, size: bytesOf(name).length, modified: modified(name) })),
      unreadable: [],
    }),
  };
}
