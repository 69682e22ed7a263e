import { isObject, type JsonObject } from '#base/json.js';
import type { Provenance } from '#context/replay/envelope.js';
import { type ContentBlock, toBlock } from '#session/entry.js';
import type { Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import type { Hit } from '../define.js';

const NOTHING: readonly unknown[] = [];

/** The content of a message if it is a list, else an empty list. The items are not validated. */
export function contentListOf(message: JsonObject): readonly unknown[] {
  const { content } = message;
  return Array.isArray(content) ? content : NOTHING;
}

/** An item of that list as a block; null for one that is no object. */
export function readBlock(item: unknown): ContentBlock | null {
  return isObject(item) ? toBlock(item) : null;
}

export function isBlankContent(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/** A block of a message: the source entry, and the place in it unless the message is not the entry's own. */
export function locateBlock(session: Session, from: Provenance, at: number): Pick<Hit, 'at' | 'place'> {
  const head = from.origin === 'entry' ? findHeadAtLine(session, from.line, from.entryId) : undefined;
  const block = `content[${at}]`;
  switch (head?.type) {
    case 'custom_message':
      return { at: locateEntry(from), place: block };
    case 'message':
      return { at: locateEntry(from), place: `message.${block}` };
    default:
      return { at: locateEntry(from) };
  }
}

export function locateEntry({ line, entryId }: Provenance): { readonly line: number; readonly id: string | null } {
  return { line, id: entryId };
}
