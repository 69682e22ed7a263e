import type { JsonObject } from '#base/json.js';
import type { RawId } from '#session/table/head.js';
import type { At } from '../bytes/editing.js';
import type { Underneath } from './read-under-header.js';

interface Unreadable {
  readonly at: At;
  readonly code: string;
  readonly id: RawId;
  readonly parentId: RawId;
}

/** Entries that make Pi fail on the whole session where they are on its active path, and say nothing themselves. */
export function* unreadable({ heads, place, parse }: Underneath): Generator<Unreadable> {
  const { length } = heads;
  for (let index = 0; index < length; index += 1) {
    const type = heads.typeAt(index);
    const isSuspicious = (type === 'message' && heads.roleAt(index) === null) || type === 'context_edit';
    const head = isSuspicious ? heads.at(index) : undefined;
    if (!head) continue;
    const at = place(head);
    const code = whyUnreadable(parse(at));
    if (code !== null) yield { at, code, id: head.id, parentId: head.parentId };
  }
}

/** null for an entry that Pi can read. */
export function whyUnreadable({ type, message, replacement }: JsonObject): string | null {
  // Pi asks the message for its role, and the replacement for its content, without looking whether they are there.
  if (type === 'message' && (message === null || message === undefined)) return 'no-message';
  return type === 'context_edit' && replacement === undefined ? 'edit-without-replacement' : null;
}
