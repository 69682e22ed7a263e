import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { parentOf } from '#session/tree/tree.js';
import type { Hit } from '../define.js';

/**
 * The newest entry that declares a text, and the place in it: `from` or an ancestor of it, from the active leaf by
 * default. Empty for a text that a baseline supplied.
 */
export function findDeclaration(session: Session, text: string, from = session.tree.leaf): Pick<Hit, 'at' | 'place'> {
  for (const head of listDeclarers(session, from))
    for (const { text: other, place } of listPlacedTexts(session.entry(head)))
      if (other.includes(text) && isDeclaringPlace(place)) return { at: head, place };
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

interface Text {
  readonly text: string;
  /** Its place, such as `parameters.properties.path.description`. */
  readonly place: string;
}

/** More texts than any real declaration has. */
const MOST = 100_000;

/** Every text of a JSON value with its place, at any depth. */
export function listPlacedTexts(value: unknown): readonly Text[] {
  const texts: Text[] = [];
  const waiting: { readonly value: unknown; readonly place: string }[] = [{ value, place: '' }];
  for (let count = 0; waiting.length > 0 && count < MOST; count += 1) {
    const next = waiting.pop();
    if (!next) break;
    if (typeof next.value === 'string') texts.push({ text: next.value, place: next.place });
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, field] of Object.entries(next.value).toReversed())
      waiting.push({ value: field, place: joinPlace(next.place, key, isList) });
  }
  return texts;
}

/** Limits the places of deeply nested values. */
const LONGEST_PLACE = 200;

function joinPlace(above: string, key: string, isList: boolean): string {
  if (above.length > LONGEST_PLACE) return above;
  const name = key.slice(0, LONGEST_PLACE);
  if (isList) return `${above}[${name}]`;
  return above === '' ? name : `${above}.${name}`;
}
