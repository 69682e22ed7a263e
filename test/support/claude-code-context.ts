import { Buffer } from 'node:buffer';
import { isObject, type JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { activePath } from '#session/tree/tree.js';

/** The source records of the messages in the context at the leaf of a Claude Code session, each once. */
export function contextRecords(session: Session): readonly JsonObject[] {
  const seen = new Map<unknown, JsonObject>();
  for (const head of contextHeads(session))
    for (const record of recordsOf(session, head)) if (isMessage(record)) seen.set(record['uuid'], record);
  return [...seen.values()];
}

/** The entries of the context: the newest compaction, what it keeps, and what follows it. */
function contextHeads(session: Session): readonly Head[] {
  const path = activePath(session.tree).filter(
    ({ type }) =>
      type === 'message' || type === 'custom_message' || type === 'compaction' || type === 'context_transform',
  );
  const at = path.findLastIndex((head) => isReset(session, head));
  const reset = path[at];
  if (!reset) return path;
  const kept = reset.type === 'compaction' ? path.findIndex(({ id }) => id === reset.target) : at;
  const above = path.slice(kept, at).filter((head) => !isReset(session, head));
  return [reset, ...above, ...path.slice(at + 1)];
}

function isReset(session: Session, head: Head): boolean {
  if (head.type === 'compaction') return true;
  return head.type === 'context_transform' && session.entry(head)['transformerName'] === 'compaction';
}

function recordsOf(session: Session, head: Head): readonly JsonObject[] {
  const pieces: Uint8Array[] = [];
  for (const piece of session.bytes(head)) pieces.push(piece.slice());
  const text = Buffer.concat(pieces).toString();
  return text.split('\n').flatMap((line): JsonObject[] => {
    const value: unknown = line === '' ? null : JSON.parse(line);
    return isObject(value) ? [value] : [];
  });
}

function isMessage({ type }: JsonObject): boolean {
  return type === 'user' || type === 'assistant';
}
