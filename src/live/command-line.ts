import type { Io } from '#platform/io.js';
import type { Output } from '#platform/terminal/output.js';

export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line of ctx, such as `['cache', file]`. Never throws. */
export type AgentCommandLine = (argv: readonly string[], options: CommandOptions) => Promise<CommandEnd>;

interface CommandOptions {
  readonly cwd: string;
  /** The width of the text. */
  readonly columns?: number;
  /** The text is for a terminal: it has colours, and its lines are wrapped. */
  readonly isTerminal?: boolean;
  /** Changes the world of the command. */
  readonly world?: (io: Io) => Io;
}

/** Runs a command line with a world, as `src/main.ts` does. */
export type RunMain = (io: Io) => Promise<number>;

/** The command line of the package. `loadMain` is called at its first use. */
export function createCommandLine(world: Io, loadMain: () => Promise<RunMain>): AgentCommandLine {
  return async (argv, { cwd, columns = Infinity, isTerminal = false, world: inWorld = (io) => io }) => {
    const stdout = captureOutput(columns, isTerminal);
    const stderr = captureOutput(columns, false);
    const run = await loadMain();
    const exitCode = await run(inWorld(silenceLiveIo({ ...world, argv: [...argv], cwd, stdout, stderr })));
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  };
}

/** A world in the process of an agent: commands read no standard input, and leave the process as it is. */
export function silenceLiveIo(io: Io): Io {
  return {
    ...io,
    // The text is not for the terminal of the agent, which has no use for a pager or links.
    env: { ...io.env, CTX_PAGER: '', FORCE_HYPERLINK: '0' },
    async *input() {},
    enterFolder: (folder) => folder,
    terminal: () => Promise.resolve(null),
    canAsk: () => false,
    ask: () => Promise.resolve(null),
    startPager: () => Promise.resolve(null),
    untilInterrupted: (work) => work(new AbortController().signal),
    saveMemory() {},
  };
}

function captureOutput(columns: number, isTerminal: boolean): Output & { text(): string } {
  const pieces: Uint8Array[] = [];
  return {
    write(text) {
      pieces.push(Buffer.from(text as string));
      return Promise.resolve(true);
    },
    isTerminal,
    columns,
    rows: Infinity,
    text: () => Buffer.concat(pieces).toString('utf8'),
  };
}
