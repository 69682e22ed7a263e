import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';

/** Attachments that are sent to the model, in words that the file does not record. */
const SENT: ReadonlySet<string> = new Set([
  'deferred_tools_record',
  'deferred_tools_delta',
  'instructions',
  'nested_memory',
  'environment',
  'session_context',
  'model',
  'date',
  'date_change',
  'skill_listing',
  'invoked_skills',
  'agent_listing_delta',
  'mcp_instructions_delta',
  'total_tokens_reminder',
  'edited_text_file',
  'file',
  'queued_command',
  'hook_additional_context',
  'hook_success',
  'hook_blocking_error',
  'task_reminder',
  'todo_reminder',
  'plan_mode',
  'plan_mode_exit',
  'compact_file_reference',
]);

export const SNAPSHOT = 'prompt_snapshot';

export function isSent(kind: string | null): boolean {
  return kind !== null && SENT.has(kind);
}

/** The message that represents an attachment: its own data, since the words of the request are not recorded. */
export function attachmentMessage({ attachment }: JsonObject): JsonObject {
  const data = isObject(attachment) ? attachment : {};
  const { type, ...rest } = data;
  const texts = TEXT_FIELDS.flatMap((field) => asString(rest[field]) ?? []);
  return {
    type: 'custom_message',
    customType: `claude-code:${String(type)}`,
    content: texts[0] ?? JSON.stringify(rest),
    display: false,
    details: { approximate: true },
  };
}

const TEXT_FIELDS = ['text', 'content', 'context', 'prompt'];

/** The ops of a prompt snapshot: its system prompt and its tools, each if it is recorded. */
export function snapshotOps({ attachment }: JsonObject): readonly JsonObject[] {
  const { systemPrompt, tools } = isObject(attachment) ? attachment : {};
  const parts = (Array.isArray(systemPrompt) ? systemPrompt : [systemPrompt]).flatMap((text: unknown, at) =>
    typeof text === 'string' ? [{ name: `part-${at + 1}`, text }] : [],
  );
  return [
    ...(parts.length > 0 ? [op('system_parts_replace', { parts })] : []),
    ...(Array.isArray(tools) ? [op('tools_replace', { tools: objectsIn(tools).map(toolOf) })] : []),
  ];
}

function toolOf(tool: JsonObject): JsonObject {
  const { name, description, schema, input_schema: inputSchema } = tool;
  return {
    name: asString(name) ?? '',
    description: asString(description) ?? '',
    parameters: isObject(schema) ? schema : isObject(inputSchema) ? inputSchema : {},
  };
}

/** An op of a transform that represents a record of the file. */
export function op(name: string, fields: JsonObject): JsonObject {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason: 'recorded by Claude Code' };
}
