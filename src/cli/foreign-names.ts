import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import { locateSession } from './locate.js';
import type { RunCall } from './program.js';

/**
 * Replaces ids of other agents' sessions, and names such as `latest:codex`, by their files. An id of Pi, or an existing
 * file, is left as it is, so the folders of other agents are only searched for a name without a session.
 */
export async function withForeignNames(io: Io, call: RunCall): Promise<RunCall> {
  const { args, command } = call;
  const files: (string | undefined)[] = [];
  for (const [at, word] of args.entries()) {
    const { name = '' } = command.args[at] ?? command.args.at(-1) ?? {};
    const [, session = '', revision = ''] = /^([^@]*)(@.*)?$/s.exec(word ?? '') ?? [];
    const isNamed = SESSIONS.has(name) && (revision === '' || name === 'what') && isUnknown(io, session);
    files.push(isNamed ? `${await fileOf(io, session)}${revision}` : word);
  }
  return { ...call, args: files };
}

/** The arguments that name sessions; `what` may be a session with a revision after an `@`. */
const SESSIONS: ReadonlySet<string> = new Set(['session', 'sessions', 'files', 'what']);
/** As Claude Code, Codex and Gemini CLI write ids, or at least eight characters of one. */
const ID = /^(?:agent-\w{6,}|[0-9a-f]{8}(?:-[0-9a-f]*){0,4})$/;
const LATEST = /^latest:(.*)$/s;

function isUnknown(io: Io, word: string): boolean {
  if (io.files.exists(word)) return false;
  if (LATEST.test(word)) return true;
  if (!ID.test(word)) return false;
  try {
    locateSession(io, word);
    return false;
  } catch (error) {
    if (error instanceof CtxError) return !/ambiguous/.test(error.message);
    throw error;
  }
}

/** The file of another agent's session; the word itself if there is none. */
async function fileOf(io: Io, word: string): Promise<string> {
  const { filesOfId, latestOf } = await import('./sessions/foreign-files.js');
  const [, agent] = LATEST.exec(word) ?? [];
  if (agent !== undefined) return latestOf(io, agent);
  const [file, ...others] = filesOfId(io, word);
  if (others.length === 0) return file ?? word;
  throw new CtxError('input', `session id "${word}" is ambiguous`, { hint: `name a file, such as ${file}` });
}
