import { CtxError } from '../../src/errors.js';
import type { Io } from '../../src/io.js';
import { run } from '../../src/main.js';
import { bytesIn } from '../../src/session/bytes.js';

export interface World {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line against files that exist only in memory; later ones were modified later. */
export async function ctx(argv: readonly string[], world: World = {}): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const output = (stream: 'stdout' | 'stderr'): Io['stdout'] => ({
    write(text) {
      printed[stream] += text;
      return Promise.resolve(true);
    },
    isTerminal: world.isTerminal ?? false,
    columns: world.columns ?? 80,
    rows: world.rows ?? 40,
  });
  const io: Io = {
    argv,
    env: world.env ?? {},
    cwd: world.cwd ?? '/home/ada/weather',
    home: '/home/ada',
    stdout: output('stdout'),
    stderr: output('stderr'),
    files: memoryFiles(world.files ?? {}),
  };
  const exitCode = await run(io);
  return { exitCode, ...printed };
}

export function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>): Io['files'] {
  const names = Object.keys(files);
  return {
    async open(file) {
      const content = files[file];
      if (content === undefined) throw new CtxError('input', 'no such file', { where: file });
      return bytesIn(typeof content === 'string' ? new TextEncoder().encode(content) : content);
    },
    exists: (file) => Object.hasOwn(files, file),
    list: (folder) => [
      ...new Set(
        names
          .filter((name) => name.startsWith(`${folder}/`))
          .map((name) => name.slice(folder.length + 1).split('/')[0]!),
      ),
    ],
    modified: (file) => names.indexOf(file) + 1,
  };
}
