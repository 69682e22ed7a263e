import { SharedEntries } from '#analysis/stats/shared-entries.js';
import type { OpenSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';
import { type FileResult, withSessionFile } from '../file-result.js';

/**
 * Reads sessions that derive from each other, parents first. `shared`: the entries of the sessions before, so that each
 * counts for the first session that has it.
 */
export async function readFamily<Result extends object>(
  files: Files,
  names: readonly string[],
  read: (session: OpenSession, shared: SharedEntries) => Result | Promise<Result>,
): Promise<readonly FileResult<Result>[]> {
  const shared = new SharedEntries();
  const results: FileResult<Result>[] = [];
  for (const [at, file] of names.entries()) {
    const result = await withSessionFile(files, file, async (session) => {
      const own = await read(session, shared);
      if (at < names.length - 1) shared.note(session);
      return own;
    });
    results.push(result);
  }
  return results;
}
