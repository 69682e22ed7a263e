import type { PathCall } from './path-calls.js';
import { matchesAnyPattern } from './patterns.js';

export const HOW_COMMANDS_MATCH =
  'A pattern matches a whole command line, or one command of a line that runs several: `git push*` also finds ' +
  '`cd app && git push origin`. In patterns, `*` is any text. The shell tools of all agents count.';

/** The texts of a command that a pattern may match: all of it, and each command of a line that runs several. */
export function splitCommand(command: string): readonly string[] {
  const parts = command.split(/&&|\|\||[;|&\n]/).map((part) => part.trim());
  return [command.trim(), ...parts.filter((part) => part !== '')];
}

/** Whether a call ran a command that matches one of the patterns. */
export function matchesCommand({ command }: PathCall, patterns: readonly string[]): boolean {
  return command !== null && splitCommand(command).some((text) => matchesAnyPattern(patterns, text));
}
