import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';

/** Gives what throws a CtxError (refused) where somebody has written to a session since. */
export function unchanged({ files }: Pick<Io, 'files'>, file: string): () => void {
  const modified = files.modified(file);
  return () => {
    if (files.modified(file) === modified) return;
    throw new CtxError('refused', 'somebody writes to the session at this moment; nothing was written', {
      where: file,
      hint: 'let Pi end first, then try again',
    });
  };
}

/** The file beside a new session that holds what is not in it. Throws a CtxError (usage) where nothing can stand beside it. */
export function lostFileOf(output: string): string {
  if (output !== '-') return `${output}.lost`;
  throw new CtxError('usage', 'what cannot be mended is kept in a file beside the new one', {
    where: '--output -',
    hint: 'name a file',
  });
}
