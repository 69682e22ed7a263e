import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { openSession, type OpenSession, withSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';

/** The result for a file, or the reason why there is none. */
export type FileResult<Result> =
  | ({ readonly file: string; readonly ok: true } & Result)
  | { readonly file: string; readonly ok: false; readonly error: string };

/** A file without a result, and the reason. */
interface UnreadableFile {
  readonly file: string;
  readonly error: string;
}

/** Lists the files without a result. */
export function listUnreadable(results: readonly FileResult<object>[]): UnreadableFile[] {
  return results.flatMap((result) => (result.ok ? [] : [{ file: result.file, error: result.error }]));
}

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

/** Warnings about sessions that could not be read, and one about those with damaged places. */
export function listFileWarnings(
  unreadable: readonly UnreadableFile[],
  damaged: readonly string[],
): readonly Problem[] {
  const [first] = damaged;
  const what = `${pluralize(damaged.length, 'session')} with damaged places, the first: ${first}; see ctx check`;
  return [
    ...unreadable.map(({ file, error }) => buildWarning('unreadable-session', `${file}: ${error}`)),
    ...(first === undefined ? [] : [buildWarning('damaged-session', what)]),
  ];
}
