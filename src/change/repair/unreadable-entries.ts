import type { JsonObject } from '#base/json.js';
import type { RawId } from '#session/heads/head.js';
import type { ByteSpan } from '../bytes/file-editor.js';
import type { HeaderlessLines } from './headerless-lines.js';

interface Unreadable {
  readonly at: ByteSpan;
  readonly code: string;
  readonly id: RawId;
  readonly parentId: RawId;
}

/** Entries without content that make Pi fail on the whole session if they are on its active path. */
export function* listUnreadableEntries({ heads, place, parse }: HeaderlessLines): Generator<Unreadable> {
  const { length } = heads;
  for (let index = 0; index < length; index += 1) {
    const type = heads.typeAt(index);
    const isSuspicious = (type === 'message' && heads.roleAt(index) === null) || type === 'context_edit';
    const head = isSuspicious ? heads.at(index) : undefined;
    if (!head) continue;
    const at = place(head);
    const code = findUnreadableCause(parse(at));
    if (code !== null) yield { at, code, id: head.id, parentId: head.parentId };
  }
}

/** The rule that finds the entry; null if Pi can read it. */
export function findUnreadableCause({ type, message, replacement }: JsonObject): string | null {
  // Pi asks the message for its role, and the replacement for its content, without looking whether they are there.
  if (type === 'message' && (message === null || message === undefined)) return 'no-message';
  return type === 'context_edit' && replacement === undefined ? 'edit-without-replacement' : null;
}
