import { type Problem, type Severity } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import { timeOf } from '#base/time.js';
import { type Head, idText } from '#session/table/head.js';
import { type AgentMessage, isKnownRole } from './convert.js';
import { CHANGES_CONTEXT, MESSAGE_TYPES } from './selection.js';

/**
 * The message that an entry adds to the context before edits and conversion, null for one that adds none.
 * A compaction's summary is not included: whether it counts depends on the path. Pi's `sessionEntryToContextMessages`.
 */
export function messageOfEntry(entry: JsonObject): AgentMessage | null {
  switch (entry['type']) {
    case 'message':
      return isObject(entry['message']) ? withContent(entry['message']) : null;
    case 'custom_message': {
      const { customType, content, display, details } = entry;
      return {
        role: 'custom',
        customType,
        content: content ?? [],
        display,
        details,
        timestamp: timeOf(entry['timestamp']),
      };
    }
    case 'branch_summary': {
      const { summary, fromId } = entry;
      return summary ? { role: 'branchSummary', summary, fromId, timestamp: timeOf(entry['timestamp']) } : null;
    }
    default:
      return null;
  }
}

/** The replacement content of a `context_edit`; null omits the entry. */
export type EditReplacement = JsonObject | null;

const EDITABLE_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'custom']);

/** An entry's message after its edit. Only the roles that Pi can edit change; any entry can be omitted. */
export function edited(message: AgentMessage, replacement: EditReplacement): AgentMessage | null {
  if (replacement === null) return null;
  if (!EDITABLE_ROLES.has(message['role'])) return message;
  const { content } = replacement;
  const asBlocks = typeof content === 'string' && (message['role'] === 'assistant' || message['role'] === 'toolResult');
  return { ...message, content: asBlocks ? [{ type: 'text', text: content }] : content };
}

/** Files are not validated when they are written: a message without content is treated as empty. */
function withContent(message: JsonObject): AgentMessage {
  const { role, content } = message;
  if (content !== null && content !== undefined) return message;
  if (role === 'system') return { ...message, content: '' };
  return role === 'user' || role === 'assistant' || role === 'toolResult' ? { ...message, content: [] } : message;
}

const ADD_NOTHING: ReadonlySet<string | null> = new Set([
  'thinking_level_change',
  'model_change',
  'custom',
  'label',
  'session_info',
  'usage',
  'ephemeral',
]);

/** Whether entries of a type are known to add nothing to the context. */
export function isKnownToAddNothing(type: string | null): boolean {
  return ADD_NOTHING.has(type);
}

/**
 * The diagnostic for an entry of an unknown type or role, or without a message; null for one that Pi
 * writes, and for one that changes the context.
 */
export function unknownIn(head: Head, message: AgentMessage | null): Problem | null {
  if (message !== null) {
    if (isKnownRole(message['role'])) return null;
    return problemAt(head, 'unknown-role', `messages of role ${JSON.stringify(message['role'])} are not sent`);
  }
  if (head.type === 'message') return problemAt(head, 'no-message', 'the entry has no message', 'warning');
  if (MESSAGE_TYPES.has(head.type) || CHANGES_CONTEXT.has(head.type) || isKnownToAddNothing(head.type)) return null;
  return problemAt(head, 'unknown-entry', `entries of type ${JSON.stringify(head.type)} add nothing to the context`);
}

export function problemAt(head: Head, code: string, message: string, severity: Severity = 'note'): Problem {
  return { code, severity, message, line: head.line, entryId: idText(head.id) };
}

/**
 * The summary message of a compaction entry. With `sentVerbatim` the summary is the whole message, as in sessions of
 * Claude Code, which has an introduction of its own.
 */
export function summaryMessage({ summary, tokensBefore, timestamp, sentVerbatim }: JsonObject): AgentMessage {
  const message = { role: 'compactionSummary', summary, tokensBefore, timestamp: timeOf(timestamp) };
  return sentVerbatim === true ? { ...message, sentVerbatim } : message;
}
