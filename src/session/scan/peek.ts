import { parseJson } from '#base/json.js';
import { isForkOfPi } from '../agents/forks-of-pi.js';
import { parentSessionOf, parseHeader } from './header.js';
import { importedIdOf } from './imported-from.js';
import { isPiEvent } from './other-files.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The header and the first facts of a session, from its first bytes. */
export interface SessionPeek {
  readonly id: string;
  readonly cwd: string | null;
  /** The time at which the session began, as the header has it. */
  readonly timestamp: string | null;
  /** The session file that it was forked from, by its name at that time. */
  readonly parentSession: string | null;
  /** The id of the session of another agent that it was imported from. */
  readonly importedId: string | null;
}

/**
 * The header in the first bytes of a file: as in the strict reader, the first line that parses.
 * `no-session` if there is none, or a fork of Pi wrote it; null if the bytes are not sufficient.
 */
export function peekSession(bytes: Uint8Array, isWholeFile: boolean): SessionPeek | 'no-session' | null {
  const text = decoder.decode(bytes);
  if (isForkOfPi(text)) return 'no-session';
  const lines = text.split('\n');
  // The last piece may be half a line.
  if (!isWholeFile) lines.pop();
  for (const [at, line] of lines.entries()) {
    const value = parseJson(line);
    if (!value) continue;
    const found = parseHeader(value, { line: 0, offset: 0, length: 0 });
    if (!found || isPiEvent(parseJson(lines[at + 1] ?? ''))) return 'no-session';
    const { id, cwd, timestamp, fields } = found.header;
    return { id, cwd, timestamp, parentSession: parentSessionOf(fields), importedId: importedIdOf(fields) };
  }
  return isWholeFile ? 'no-session' : null;
}
