import type { Head } from '#session/heads/head.js';

/** Types whose entries add messages, or declare like system messages. */
export const MESSAGE_TYPES: ReadonlySet<string | null> = new Set(['message', 'custom_message', 'branch_summary']);

/** Whether an entry only appends a message: before the first needed entry of a path it need not be parsed. */
export function onlyAddsMessage({ type, role }: Pick<Head, 'type' | 'role'>): boolean {
  return MESSAGE_TYPES.has(type) && role !== 'system';
}

/** Types whose entries change the context in another way than by appending. */
export const CONTEXT_CHANGE_TYPES: ReadonlySet<string | null> = new Set([
  'context_edit',
  'context_transform',
  'compaction',
  'reset_boundary',
]);
