import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import type { Output } from '#platform/terminal/output.js';

/** A world for commands that print nothing and read no standard input, which holds the requests. */
export function quiet(io: Io): Io {
  const nowhere: Output = { write: () => Promise.resolve(true), isTerminal: false, columns: Infinity, rows: 0 };
  const open: Io['files']['open'] = async (file) => {
    if (file === '-') throw taken();
    // Opening a pipe waits for a writer, and so would all requests.
    if (io.files.isPipe(file)) throw aPipe(file);
    return io.files.open(file);
  };
  return { ...io, argv: [], stdout: nowhere, stderr: nowhere, files: { ...io.files, open } };
}

function taken(): CtxError {
  return new CtxError('usage', 'standard input holds the requests', { hint: 'name a file or a session id' });
}

function aPipe(file: string): CtxError {
  return new CtxError('input', 'this is a pipe, not a session file', { where: file, hint: 'pass a .jsonl file' });
}
