import { Buffer } from 'node:buffer';
import { isObject, type JsonObject } from '#base/json.js';
import { envelopeAt } from '#context/envelope-at.js';
import type { OpenSession } from '#context/open.js';
import type { Head } from '#session/heads/head.js';

/** The source records of the messages in the context at the leaf of a Claude Code session, each once. */
export function contextRecords(session: OpenSession): readonly JsonObject[] {
  const heads = envelopeAt(session).meta.provenance.map(({ entryId }) => session.tree.heads.find(entryId ?? ''));
  const seen = new Map<unknown, JsonObject>();
  for (const head of heads)
    for (const record of head ? recordsOf(session, head) : []) if (isMessage(record)) seen.set(record['uuid'], record);
  return [...seen.values()];
}

/** The records of the file from which an entry was made. */
export function recordsOf(session: OpenSession, head: Head): readonly JsonObject[] {
  const text = Buffer.concat([...session.bytes(head)].map((piece) => piece.slice())).toString();
  return text.split('\n').flatMap((line): JsonObject[] => {
    const value: unknown = line === '' ? null : JSON.parse(line);
    return isObject(value) ? [value] : [];
  });
}

function isMessage({ type }: JsonObject): boolean {
  return type === 'user' || type === 'assistant';
}
