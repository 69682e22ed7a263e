import { listSessionWords } from '#analysis/search/session-words.js';
import type { IndexedSession } from '#analysis/search/word-index.js';
import { openSession, withSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';

/** Reads the words of one session. Throws a CtxError (input) if the file is not a session. */
export async function readWords(files: Files, file: string): Promise<IndexedSession> {
  return withSession(openSession(file, files), (session) => ({
    sessionId: session.header.id,
    agent: session.agent?.name ?? null,
    cwd: session.header.cwd,
    entries: listSessionWords(session),
  }));
}
