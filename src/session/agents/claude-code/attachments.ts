import { asObject, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { onceForEach } from '#base/once.js';
import { KIND, kindOf } from '../../scan/fields.js';
import type { LineTable } from '../../scan/line-table.js';
import { textOf } from './content.js';
import { SLOT, TEXT } from './fields.js';

/** The part of an attachment in a request. `null`: it was not sent. */
type AttachmentUse = 'snapshot' | 'attachment' | null;

/** The attachments of a file: what the client tells the model by itself. */
export class Attachments {
  /** Versions that record the words of attachments. */
  private readonly versions = new Set<number>();
  private readonly useOfKind = onceForEach((kind: number): AttachmentUse => {
    const text = kind === 0 ? null : this.table.text(kind);
    return text === SNAPSHOT ? 'snapshot' : SENT.has(text) ? 'attachment' : null;
  });

  /** `lines`: the lines that may be one. */
  constructor(
    private readonly table: LineTable,
    lines: readonly number[],
  ) {
    for (const line of lines) if (this.isRendered(line)) this.versions.add(table.textAt(line, SLOT.version));
  }

  /** Whether its words are recorded. */
  isRendered(line: number): boolean {
    return kindOf(this.table.at(line, SLOT.rendered)) === KIND.list;
  }

  useOf(line: number): AttachmentUse {
    if (this.isRendered(line)) return 'attachment';
    const use = this.useOfKind(this.table.textAt(line, SLOT.attachment));
    return use === 'attachment' && this.isEmpty(line) ? null : use;
  }

  /** A version that records words leaves them out of an attachment that has none, such as a context without files. */
  private isEmpty(line: number): boolean {
    const { table } = this;
    return table.textAt(line, SLOT.role) === 0 && this.versions.has(table.textAt(line, SLOT.version));
  }

  /** Whether the file lacks the words that were sent. */
  isApproximate(line: number): boolean {
    const kind = this.table.textAt(line, SLOT.attachment);
    return !this.isRendered(line) && !this.isEmpty(line) && kind !== TEXT.cut && this.useOfKind(kind) !== 'snapshot';
  }
}

/** Attachments that are sent to the model, in words that the file does not record. */
const SENT: ReadonlySet<string | null> = new Set([
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

/** The message that represents an attachment: its words in the request, or its own data if they are not recorded. */
export function attachmentMessage({ attachment, rendered, renderedRole: role }: JsonObject): JsonObject {
  const data = asObject(attachment);
  const { type, ...rest } = data;
  const texts = TEXT_FIELDS.flatMap((field) => asString(rest[field]) ?? []);
  const said = Array.isArray(rendered)
    ? objectsIn(rendered)
        .map((each) => wordsOf(each, role))
        .join('\n')
    : null;
  return {
    type: 'custom_message',
    customType: `claude-code:${String(type)}`,
    content: said ?? texts[0] ?? JSON.stringify(rest),
    display: false,
    ...(said === null ? { details: { approximate: true } } : {}),
  };
}

/** Reminders of the role system are sent without their tags. */
function wordsOf({ content }: JsonObject, role: unknown): string {
  const text = textOf(content);
  return role === 'system' ? (REMINDER.exec(text)?.[1] ?? text) : text;
}

const REMINDER = /^<system-reminder>\n([^]*)\n<\/system-reminder>\n?$/;

const TEXT_FIELDS = ['text', 'content', 'context', 'prompt'];

/** The type of an attachment with the system prompt and the tools. */
const SNAPSHOT = 'prompt_snapshot';

/** The ops of a prompt snapshot: its system prompt and its tools, each if it is recorded. */
export function snapshotOps({ attachment }: JsonObject): readonly JsonObject[] {
  const { systemPrompt, cliPrefix, tools } = asObject(attachment);
  // The client begins the prompt with a sentence about itself.
  return promptOps([cliPrefix, systemPrompt].flat(), tools);
}

/** The ops of the prompt and the tools that a request was sent with. */
export function shapeOps({ shape }: JsonObject): readonly JsonObject[] {
  const { system, tools } = asObject(shape);
  return promptOps(typeof system === 'string' ? [system] : objectsIn(system).map(({ text }) => text), tools);
}

function promptOps(texts: readonly unknown[], tools: unknown): readonly JsonObject[] {
  const parts = texts.filter((text) => typeof text === 'string').map((text, at) => ({ name: `part-${at + 1}`, text }));
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
    parameters: isObject(schema) ? schema : asObject(inputSchema),
  };
}

/** An op of a transform that represents a record of the file. */
export function op(name: string, fields: JsonObject): JsonObject {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason: 'recorded by Claude Code' };
}
