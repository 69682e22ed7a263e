import { existsSync } from 'node:fs';
import type { CommandEnd } from '../command-line.js';
import type { Live } from '../define.js';
import type { PiContext } from '../pi.js';
import { readSessionOfPi, useRunningSession } from '../running-session.js';
import { measureScreenColumns } from './screen.js';

/** Runs a command line in the session of Pi. */
export type RunCommand = (argv: readonly string[]) => Promise<CommandEnd>;

export function createRunner(live: Live, ctx: PiContext): RunCommand {
  const isTerminal = ctx.mode === 'tui';
  const world = useRunningSession(readSessionOfPi(ctx, existsSync));
  return (argv) =>
    live.commandLine(argv, { cwd: ctx.cwd, columns: measureScreenColumns(ctx, process.stdout), isTerminal, world });
}
