import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { parentOf } from '#session/tree/tree.js';
import type { Hit } from '../define.js';
import { textsIn } from './texts-in.js';

/** The newest entry at or above another, the active leaf if nobody says, that declares a text, and where in it; nothing for what a baseline supplied. */
export function declaredAt(session: Session, text: string, from = session.tree.leaf): Pick<Hit, 'at' | 'place'> {
  for (const head of declarersOf(session, from))
    for (const { text: other, place } of textsIn(session.entry(head)))
      if (other.includes(text) && declares(place)) return { at: head, place };
  return {};
}

/** Newest first. A path that is a circle ends. */
function* declarersOf({ tree }: Session, from: Head | null): Generator<Head> {
  const seen = new Uint8Array(tree.heads.length);
  for (let head = from ?? undefined; head && seen[head.index] === 0; head = parentOf(tree, head)) {
    seen[head.index] = 1;
    if (head.type === 'context_transform' || head.type === 'compaction' || head.role === 'system') yield head;
  }
}

/** Whether parts or tools are declared there. What an op says of itself or of messages declares none, and a time may be any. */
function declares(place: string): boolean {
  return (
    /^(?:message|systemMessage)\.(?:content|sections|toolsAdded)\b/.test(place) ||
    /^patch\[\d+\]\.(?!messages\[|(?:op|scope|summary|invalidateCacheReason)$)/.test(place)
  );
}
