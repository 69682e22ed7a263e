import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { parentOf } from '#session/tree/tree.js';
import type { Hit } from '../define.js';
import { listPlacedTexts } from './placed-texts.js';

/**
 * Finds the newest entry that declares a text, and the place in it: `from` or an ancestor of it, from the active leaf by
 * default. Empty for a text that a baseline supplied.
 */
export function findDeclaration(session: Session, text: string, from = session.tree.leaf): Pick<Hit, 'at' | 'place'> {
  for (const head of listDeclarers(session, from)) {
    const declared = listPlacedTexts(session.entry(head)).find(
      (placed) => placed.text.includes(text) && isDeclaringPlace(placed.place),
    );
    if (declared) return { at: head, place: declared.place };
  }
  return {};
}

/** Yields the newest first, and stops at a cycle. */
function* listDeclarers({ tree }: Session, from: Head | null): Generator<Head> {
  const seen = new Uint8Array(tree.heads.length);
  for (let head = from ?? undefined; head && seen[head.index] === 0; head = parentOf(tree, head)) {
    seen[head.index] = 1;
    if (head.type === 'context_transform' || head.type === 'compaction' || head.role === 'system') yield head;
  }
}

/** Whether the place declares parts or tools. Messages and the other fields of an op declare none. */
function isDeclaringPlace(place: string): boolean {
  return (
    /^(?:message|systemMessage)\.(?:content|sections|toolsAdded)\b/.test(place) ||
    /^patch\[\d+\]\.(?!messages\[|(?:op|scope|summary|invalidateCacheReason)$)/.test(place)
  );
}
