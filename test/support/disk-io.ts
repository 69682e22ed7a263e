import { createNodeIo } from '#platform/io.js';
import { run } from '../../src/main.js';

/** What a command line printed. */
export interface DiskRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line against the files of this machine, with a home folder of its own. */
export async function ctxOnDisk(
  argv: readonly string[],
  { home, cwd = home, env = {} }: { readonly home: string; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
): Promise<DiskRun> {
  const printed = { stdout: '', stderr: '' };
  const output = (stream: 'stdout' | 'stderr') => ({
    write(text: string | Uint8Array) {
      printed[stream] += typeof text === 'string' ? text : new TextDecoder().decode(text);
      return Promise.resolve(true);
    },
    isTerminal: false,
    columns: 80,
    rows: 40,
  });
  const world = { HOME: home, CTX_INDEX_DIR: '', ...env };
  const here = Object.assign(Object.create(process) as NodeJS.Process, {
    argv: ['node', 'ctx', ...argv],
    env: world,
    cwd: () => cwd,
  });
  const io = createNodeIo(here, () => Promise.reject(new Error('no plug-ins here')));
  const exitCode = await run({
    ...io,
    stdout: output('stdout'),
    stderr: output('stderr'),
    startThreads: () => Promise.resolve(null),
  });
  return { exitCode, ...printed };
}

/** Like `ctxOnDisk`, with paths relative to a folder, which is the working directory of the tests until it ends. */
export async function ctxInFolder(cwd: string, argv: readonly string[], home = cwd): Promise<DiskRun> {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return await ctxOnDisk(argv, { home, cwd, env: { XDG_CONFIG_HOME: '' } });
  } finally {
    process.chdir(before);
  }
}
