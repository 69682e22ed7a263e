import type { FoundSession } from '#cli/sessions/find-sessions.js';
import type { SessionSummary } from '#cli/sessions/jobs/summarize-session.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import type { ListedSession, SessionLine } from './document.js';

/** The line of a session that was read. `subagents`: the number of listed ones that it started. */
export function toSessionLine(
  { file, modified, at, size }: FoundSession,
  summary: SessionSummary,
  subagents: number,
): SessionLine {
  const { id, version, name, title, cwd, ...figures } = summary;
  const times = { modified: formatIsoTime(modified), last: formatIsoTime(at) };
  const line: ListedSession = { ...SCHEMA, file, id, version, name, title, cwd, ...times, size, ...figures };
  if (subagents > 0) line.subagents = subagents;
  return line;
}

/** The line of a file that cannot be listed. */
export function toErrorLine({ file, modified, size }: FoundFile, error: string): SessionLine {
  return { ...SCHEMA, file, modified: formatIsoTime(modified), size, error };
}

const SCHEMA = { schema: 'ctx/session', schemaVersion: 1 } as const;

function formatIsoTime(time: number): string {
  return new Date(time).toISOString();
}
