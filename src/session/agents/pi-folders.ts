import path from 'node:path';
import { CtxError } from '#base/errors.js';

/** The environment of a process, and the user's home folder; empty if it is unknown. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Pi's folder of sessions, with one folder for each working directory. null: it is unknown. */
export function findSessionsFolder(surroundings: Surroundings): string | null {
  const folder = findAgentFolder(surroundings);
  return folder === null ? null : path.join(folder, 'sessions');
}

/** The name of the folder with the sessions of a working directory, in Pi's folder of sessions. */
export function nameSessionsFolder(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}

/** The name of the file of a session, of an id that may hold anything. `timestamp`: ISO 8601. */
export function nameSessionFile(id: string, timestamp: string): string {
  return `${timestamp.replaceAll(/[:.]/g, '-')}_${id.replaceAll(/[^\w.-]/g, '-')}.jsonl`;
}

/**
 * Pi's own folder. null: it is in the home folder, which is unknown. Then Pi's files are not looked for
 * anywhere, in particular not in the working directory, which may belong to another user.
 */
export function findAgentFolder({ env, home }: Surroundings): string | null {
  const named = env['PI_CODING_AGENT_DIR'] || '~/.pi/agent';
  if (!/^~(?=$|\/)/.test(named)) return named;
  return path.isAbsolute(home) ? path.join(home, named.slice(1)) : null;
}

/** The error for callers that need a folder of Pi. */
export function buildNoHomeError(): CtxError {
  return new CtxError('input', 'the home folder is unknown, so the folder of Pi is too', {
    where: '$HOME',
    hint: 'set HOME, set PI_CODING_AGENT_DIR to the folder of Pi, or pass a file',
  });
}
