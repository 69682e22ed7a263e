import { CtxError } from '#base/errors.js';
import { splitShellWords, unquoteShellWord } from '#base/shell.js';
import type { ProgramCall, ProgramRun } from './processes.js';

/**
 * Reads a command line of the user. Without a shell, blanks separate words. `what` names the program in errors. Throws
 * a CtxError (usage) for an empty line, or one with a quote that does not end.
 */
export function readProgramLine(line: string, isForShell: boolean, what: string): ProgramCall['program'] {
  return isForShell ? [line] : splitCommandLine(line, what);
}

function splitCommandLine(line: string, what: string): ProgramCall['program'] {
  const quoted = splitShellWords(line);
  const [first, ...others] = quoted.map(unquoteShellWord);
  if (first !== undefined && quoted.every((word) => CLOSED.test(word))) return [first, ...others];
  const fault = first === undefined ? 'is empty' : 'has an unclosed quote';
  throw new CtxError('usage', `the command of ${what} ${fault}`, {
    where: line,
    hint: 'write it as \'program --flag "a b"\'',
  });
}

const CLOSED = /^(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+$/s;

/** Why a program gave no text; null if it did. `what` names the program, `timeLimit` is in milliseconds. */
export function describeFailedRun(
  { failure, exitCode, stdout, stderr }: ProgramRun,
  what: string,
  timeLimit: number,
): string | null {
  if (failure === 'none' && exitCode === 0 && stdout.trim() !== '') return null;
  const fault = {
    none: exitCode === 0 ? `${what} printed nothing` : `${what} ended with exit code ${exitCode}`,
    'not-started': `cannot start ${what}`,
    'timed-out': `${what} exceeded the time limit of ${timeLimit / 1000} s`,
    'too-long': `${what} printed too much`,
    cancelled: `${what} was interrupted`,
    killed: `${what} was killed`,
  }[failure];
  const output = stderr.slice(-LONGEST_OUTPUT).replaceAll(/\s+/g, ' ').trim();
  return output === '' ? fault : `${fault}: ${output}`;
}

/** The limit in UTF-16 code units. */
const LONGEST_OUTPUT = 300;
