import { asString, isObject, type JsonObject } from '#base/json.js';
import { isTitle } from './header.js';

/** The header and the first facts of a session, from its first bytes. */
export interface Peek {
  readonly id: string;
  readonly cwd: string | null;
  /** The time at which the session began, as the header has it. */
  readonly timestamp: string | null;
  /** The session file that it was forked from, by its name at that time. */
  readonly parentSession: string | null;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The header in the first bytes of a file: as in the strict reader, the first line that parses and is not a title.
 * `no-session` if there is none; null if the bytes are not sufficient.
 */
export function peek(bytes: Uint8Array, isWholeFile: boolean): Peek | 'no-session' | null {
  const lines = decoder.decode(bytes).split('\n');
  // The last piece may be half a line.
  if (!isWholeFile) lines.pop();
  for (const line of lines) {
    const value = parsed(line);
    if (value && !isTitle(value)) return peekOf(value) ?? 'no-session';
  }
  return isWholeFile ? 'no-session' : null;
}

function peekOf(value: unknown): Peek | null {
  if (!isObject(value) || value['type'] !== 'session' || typeof value['id'] !== 'string') return null;
  const [cwd, timestamp] = [asString(value['cwd']), asString(value['timestamp'])];
  return { id: value['id'], cwd, timestamp, parentSession: parentSessionOf(value) };
}

/** The name of the field in version 1. */
export function parentSessionOf(header: JsonObject): string | null {
  return asString(header['parentSession']) ?? asString(header['branchedFrom']);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
