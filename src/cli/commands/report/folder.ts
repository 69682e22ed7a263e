import { CtxError, type Problem, warning } from '#base/errors.js';
import { modelName } from '#base/words.js';
import { findSessions } from '#cli/sessions/find-sessions.js';
import { summaries } from '#cli/sessions/summaries.js';
import type { Io } from '#platform/io.js';
import type { IndexedSession, IndexReport } from '#ui/report/index-data.js';

/** The sessions of a folder, the newest first. Throws a CtxError (input) where there is none, or no such folder. */
export async function folderReport(
  io: Io,
  folder: string,
  version: string,
): Promise<{ readonly data: IndexReport; readonly problems: readonly Problem[] }> {
  const found = findSessions(io, folder);
  if (found.sessions.length === 0)
    throw new CtxError('input', 'no session in this folder', { where: folder, hint: 'name another one, or a session' });
  const files = found.sessions.toSorted((a, b) => b.modified - a.modified || (a.file < b.file ? -1 : 1));
  const sessions: IndexedSession[] = [];
  const unreadable: (readonly [string, string])[] = found.unreadable.map((name) => [name, 'cannot be read'] as const);
  for await (const batch of summaries(io, files, { model: undefined, most: undefined })) {
    for (const { file, result } of batch) {
      if (result.ok) {
        const { id, title, cwd, entries, model, contextTokens, contextTokensSource, cost, problems } = result.output;
        sessions.push({
          file: file.file,
          id,
          title,
          cwd,
          modified: file.modified,
          bytes: file.size,
          entries,
          model: modelName(model),
          contextTokens,
          isContextRecorded: contextTokensSource === 'recorded',
          cost,
          problems,
        });
      } else unreadable.push([file.file, result.error]);
    }
  }
  return { data: { kind: 'index', version, folder, sessions, unreadable }, problems: unreadable.map(problemOf) };
}

function problemOf([file, why]: readonly [string, string]): Problem {
  return warning('unreadable-session', `${file}: ${why}`);
}
