import { CtxError } from '#base/errors.js';
import type { NewFile } from '#platform/files/new-file.js';
import type { Io } from '#platform/io.js';

/** Whether the new file of a command is to be standard output. */
export function isForStandardOutput(flags: Readonly<Record<string, unknown>>): boolean {
  return flags['output'] === '-' && flags['dry-run'] === undefined;
}

/**
 * The world of a command whose new file is standard output: what the command says of it goes to standard error. Throws a
 * CtxError (usage) for a terminal, which would obey what the file holds.
 */
export function withStandardOutput(io: Io): Io {
  const { stdout, stderr, files } = io;
  if (stdout.isTerminal)
    throw new CtxError('usage', 'a terminal is no place for a file', {
      where: '--output -',
      hint: 'send it to a pipe or a file',
    });
  const piped: NewFile = {
    // A reader that has gone has what it wanted.
    write: async (bytes) => void (await stdout.write(bytes)),
    commit: () => {},
    // What was written cannot be taken back: the exit code tells.
    abandon: () => {},
  };
  return {
    ...io,
    stdout: stderr,
    files: {
      ...files,
      createNew: (file, options) => (file === '-' ? Promise.resolve(piped) : files.createNew(file, options)),
    },
  };
}
