import type { JsonObject } from '#base/json.js';
import type { Unportable } from '../conversation.js';

/**
 * Tells whether the client added a message by itself about its tools, settings or instructions, and not about the work.
 */
export function findClaudeUnportable(_message: JsonObject, customType: string | null): Unportable | null {
  const kind = customType?.startsWith(PREFIX) ? customType.slice(PREFIX.length) : null;
  return kind === null || ABOUT_WORK.has(kind) ? null : 'self-description';
}

const PREFIX = 'claude-code:';

/** Commands of the user, files, results of hooks and tasks, and other content that answers are about. */
const ABOUT_WORK: ReadonlySet<string> = new Set([
  'meta',
  'local-command',
  'file',
  'directory',
  'pdf_reference',
  'compact_file_reference',
  'plan_file_reference',
  'edited_text_file',
  'selected_lines_in_ide',
  'opened_file_in_ide',
  'diagnostics',
  'mcp_resource',
  'queued_command',
  'invoked_skills',
  'relevant_memories',
  'task_status',
  'hook_additional_context',
  'hook_success',
  'hook_blocking_error',
  'hook_stopped_continuation',
  'async_hook_response',
]);
