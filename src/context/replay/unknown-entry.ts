import type { Problem, Severity } from '#base/errors.js';
import { asString } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from './entry-kinds.js';

/** Whether `toLlmMessage` knows the role; of the others, only `system` reaches the model, in another form. */
export function isKnownRole(role: unknown): boolean {
  return KNOWN_ROLES.has(asString(role) ?? '');
}

const KNOWN_ROLES: ReadonlySet<string> = new Set([
  'system',
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

const ADD_NOTHING: ReadonlySet<string | null> = new Set([
  'thinking_level_change',
  'model_change',
  'custom',
  'label',
  'session_info',
  'usage',
  'ephemeral',
  'model_usage',
]);

/** Whether entries of a type are known to add nothing to the context. */
export function isKnownToAddNothing(type: string | null): boolean {
  return ADD_NOTHING.has(type);
}

/**
 * The diagnostic for an entry of an unknown type or role, or without a message; null for one that Pi
 * writes, and for one that changes the context.
 */
export function findUnknownProblem(head: Head, message: StoredMessage | null): Problem | null {
  if (message !== null) {
    if (isKnownRole(message.role)) return null;
    return toEntryProblem(head, 'unknown-role', `messages of role ${JSON.stringify(message.role)} are not sent`);
  }
  if (head.type === 'message') return toEntryProblem(head, 'no-message', 'the entry has no message', 'warning');
  if (MESSAGE_TYPES.has(head.type) || CONTEXT_CHANGE_TYPES.has(head.type) || isKnownToAddNothing(head.type))
    return null;
  return toEntryProblem(
    head,
    'unknown-entry',
    `entries of type ${JSON.stringify(head.type)} add nothing to the context`,
  );
}

export function toEntryProblem(head: Head, code: string, message: string, severity: Severity = 'note'): Problem {
  return { code, severity, message, line: head.line, entryId: formatId(head.id) };
}
