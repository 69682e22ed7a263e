import { parseJson } from '#base/json.js';
import { isTitle, parentSessionOf, parseHeader } from './header.js';
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
}

/**
 * The header in the first bytes of a file: as in the strict reader, the first line that parses and is not a title.
 * `no-session` if there is none; null if the bytes are not sufficient.
 */
export function peekSession(bytes: Uint8Array, isWholeFile: boolean): SessionPeek | 'no-session' | null {
  const lines = decoder.decode(bytes).split('\n');
  // The last piece may be half a line.
  if (!isWholeFile) lines.pop();
  for (const [at, line] of lines.entries()) {
    const value = parseJson(line);
    if (!value || isTitle(value)) continue;
    const found = parseHeader(value, { line: 0, offset: 0, length: 0 });
    if (!found || isPiEvent(parseJson(lines[at + 1] ?? ''))) return 'no-session';
    const { id, cwd, timestamp, fields } = found.header;
    return { id, cwd, timestamp, parentSession: parentSessionOf(fields) };
  }
  return isWholeFile ? 'no-session' : null;
}
