import { CtxError } from '#base/errors.js';
import type { NewFile } from '#platform/files/new-file.js';
import type { Io } from '#platform/io.js';

/** Tests whether the new file of a command is standard output. */
export function writesToStandardOutput(flags: Readonly<Record<string, unknown>>): boolean {
  return flags.output === '-' && flags['dry-run'] === undefined;
}

/**
 * The environment of a command whose new file is standard output: its report goes to standard error. Throws a CtxError
 * (usage) for a terminal, which would interpret control characters in the file.
 */
export function printToStandardError(io: Io): Io {
  const { stdout, stderr, files } = io;
  if (stdout.isTerminal)
    throw new CtxError('usage', 'a terminal is no place for a file', {
      where: '--output -',
      hint: 'send it to a pipe or a file',
    });
  const piped: NewFile = {
    // A closed pipe is no error: the reader has seen enough.
    write: async (bytes) => void (await stdout.write(bytes)),
    commit: () => {},
    // Written output cannot be undone; the exit code reports the failure.
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
