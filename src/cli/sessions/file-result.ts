import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { openSession, type OpenSession, withSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';

/** Warnings about sessions that could not be read, and one about those with damaged places. */
export function listFileWarnings(
  unreadable: readonly { readonly file: string; readonly error: string }[],
  damaged: readonly string[],
): readonly Problem[] {
  const [first] = damaged;
  const what = `${pluralize(damaged.length, 'session')} with damaged places, the first: ${first}; see ctx check`;
  return [
    ...unreadable.map(({ file, error }) => buildWarning('unreadable-session', `${file}: ${error}`)),
    ...(first === undefined ? [] : [buildWarning('damaged-session', what)]),
  ];
}

/** The result for a file, or the reason why there is none. */
export type FileResult<Result> =
  | ({ readonly file: string; readonly ok: true } & Result)
  | { readonly file: string; readonly ok: false; readonly error: string };

/**
 * Works on a session. A file that cannot be read is a result: its error would lose its kind on the way out of a thread.
 */
export async function withSessionFile<Result extends object>(
  files: Files,
  file: string,
  work: (session: OpenSession) => Promise<Result>,
): Promise<FileResult<Result>> {
  try {
    return { file, ok: true, ...(await withSession(openSession(file, files), work)) };
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return { file, ok: false, error: error.message };
    throw error;
  }
}
