import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import type { Output } from '#platform/terminal/output.js';
import { dropRunningSession } from '#session/agents/index.js';

/**
 * The outside world for the commands of a server, which print nothing. They read no standard input, since that holds the
 * requests.
 */
export function createSilentIo(io: Io): Io {
  const nowhere: Output = { write: () => Promise.resolve(true), isTerminal: false, columns: Infinity, rows: 0 };
  const open: Io['files']['open'] = async (file) => {
    if (file === '-') {
      throw new CtxError('usage', 'standard input holds the requests', { hint: 'name a file or a session id' });
    }
    // Opening a pipe waits for a writer, and so would all requests.
    if (io.files.isPipe(file)) {
      throw new CtxError('input', 'this is a pipe, not a session file', { where: file, hint: 'pass a .jsonl file' });
    }
    return io.files.open(file);
  };
  // An agent goes on to other sessions than the one in which it started the server.
  const env = dropRunningSession(io.env);
  return { ...io, argv: [], env, stdout: nowhere, stderr: nowhere, files: { ...io.files, open } };
}
