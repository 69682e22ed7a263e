import { Buffer } from 'node:buffer';
import { readForCopy, type SessionToCopy } from '#change/copy/session-to-copy.js';
import { openSession } from '#context/open.js';
import { findCopier } from '#session/agents/index.js';

/** Ids of eight hex digits that count up. */
export function createIds(first = 0): () => string {
  let count = first;
  return () => {
    count += 1;
    return count.toString(16).padStart(8, '0');
  };
}

/** Opens the text of a session of Claude Code or Codex as a copy of it is made. */
export async function openToCopy(text: string): Promise<SessionToCopy> {
  const session = await openSession(Buffer.from(text));
  const copier = findCopier(session);
  if (!copier) throw new Error('no copier');
  return readForCopy(session, copier);
}
