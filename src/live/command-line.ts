import type { Io } from '#platform/io.js';
import type { Output } from '#platform/terminal/output.js';

/** The end of a command. */
interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line of ctx, such as `['cache', file]`. `columns`: the width of its text. Never throws. */
export type CommandLine = (
  argv: readonly string[],
  options: { readonly cwd: string; readonly columns?: number },
) => Promise<CommandEnd>;

/** Runs a command line with a world, as `src/main.ts` does. */
export type RunMain = (io: Io) => Promise<number>;

/** The command line of the package. `loadMain` is called at its first use. */
export function commandLineOf(world: Io, loadMain: () => Promise<RunMain>): CommandLine {
  return async (argv, { cwd, columns = Infinity }) => {
    const stdout = capturing(columns);
    const stderr = capturing(columns);
    const run = await loadMain();
    const exitCode = await run(quiet({ ...world, argv: [...argv], cwd, stdout, stderr }));
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  };
}

/** A world in the process of an agent: commands read no standard input, and leave the process as it is. */
function quiet(io: Io): Io {
  return {
    ...io,
    async *input() {},
    enterFolder: (folder) => folder,
    terminal: () => Promise.resolve(null),
    ask: () => Promise.resolve(null),
    startPager: () => Promise.resolve(null),
    untilInterrupted: (work) => work(new AbortController().signal),
    saveMemory() {},
  };
}

function capturing(columns: number): Output & { text(): string } {
  const pieces: Uint8Array[] = [];
  return {
    write(text) {
      pieces.push(Buffer.from(text as string));
      return Promise.resolve(true);
    },
    isTerminal: false,
    columns,
    rows: Infinity,
    text: () => Buffer.concat(pieces).toString('utf8'),
  };
}
