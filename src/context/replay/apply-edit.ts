import { isObject, type JsonObject } from '#base/json.js';
import type { Entry, StoredMessage } from '#session/entry.js';

/** The replacement content of a `context_edit`; null omits the entry. */
export type EditReplacement = JsonObject | null;

/** The replacement of an edit; undefined for an edit without one. Any other value than an object has no content. */
export function readEditReplacement({ replacement }: Entry): EditReplacement | undefined {
  return isObject(replacement) || replacement === null || replacement === undefined ? replacement : {};
}

/** The roles whose content an edit can replace. */
export const EDITABLE_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'custom']);

/** An entry's message after its edit. Only the roles that Pi can edit change; any entry can be omitted. */
export function applyEdit(message: StoredMessage, replacement: EditReplacement): StoredMessage | null {
  if (replacement === null) return null;
  if (!EDITABLE_ROLES.has(message.role)) return message;
  const { content } = replacement;
  const asBlocks = typeof content === 'string' && (message.role === 'assistant' || message.role === 'toolResult');
  return { ...message, content: asBlocks ? [{ type: 'text', text: content }] : content };
}
