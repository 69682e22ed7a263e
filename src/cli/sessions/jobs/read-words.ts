import { listSessionWords } from '#analysis/search/session-words.js';
import type { SessionWords } from '#analysis/search/word-index.js';
import { NO_SUBAGENT } from '#analysis/stats/call-groups.js';
import { openSession, withSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';
import { parentSessionOf } from '#session/scan/header.js';
import { findSubagentKind } from '../subagents.js';

/** Reads the words of one session. Throws a CtxError (input) if the file is not a session. */
export async function readWords(files: Files, file: string): Promise<SessionWords> {
  return withSession(openSession(file, files), (session) => ({
    sessionId: session.header.id,
    agent: session.agent?.name ?? null,
    cwd: session.header.cwd,
    isSubagent: findSubagentKind(files, session) !== NO_SUBAGENT,
    isDerived: parentSessionOf(session.header.fields) !== null,
    began: session.header.timestamp,
    entries: listSessionWords(session),
  }));
}
