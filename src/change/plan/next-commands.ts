import { toShellWord } from '#base/shell.js';

/** The command that undoes a revision. `--` comes before an id that begins with a hyphen, which is no flag. */
export function formatRevertCommand(file: string, revision: string): string {
  const words = [file, revision];
  const needsDashes = words.some((word) => word.startsWith('-'));
  return ['ctx revert', ...(needsDashes ? ['--'] : []), ...words.map(toShellWord)].join(' ');
}

/** The command line with which Pi continues a session. */
export function formatResumeCommand(file: string): string {
  return `pi --session ${toShellWord(file)}`;
}
