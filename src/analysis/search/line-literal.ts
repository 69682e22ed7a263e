import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/**
 * Whether the line of an entry may contain a text that JSON writes unchanged; true for a long line, which is not
 * searched, and for other agents, whose entries are read from several lines.
 */
export function mayLineContain(session: Session, head: Head, literal: string): boolean {
  if (session.agent) return true;
  const { value: piece } = session.bytes(head).next();
  if (!piece || piece.length < head.length) return true;
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return bytes.includes(literal) || bytes.includes(ESCAPE);
}

/** Escapes that can encode any character. */
const ESCAPE = '\\u';
